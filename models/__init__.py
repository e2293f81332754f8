"""The generative stories, one file each: how a table of counts arose, in words, formulas, PyMC and closed form.

Importing a model loads no PyMC; its ``build`` does.
"""
