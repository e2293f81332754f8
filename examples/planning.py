"""Plan an evaluation: how many more cases separate two entities, and what a smaller question would need.

Replace ``joint`` by your own cases (``br.joint_outcomes``) or tables (``br.from_counts``). A pilot of some dozen cases
is enough to plan with.

    python examples/planning.py
"""

import bayesrank as br

joint = br.datasets.load_joint("breast_cancer")  # eight classifiers on the same 569 biopsies
posterior = br.fit(joint, seed=1)
names = {"entity": "logreg", "rival": "rf"}
questions = {
    "Is logreg better than rf (P = 0.95)?": names,
    "Is logreg at most 0.02 worse than rf?": names | {"margin": 0.02},
    "Which classifier is best (P = 0.95)?": {},
    "What is the MCC of logreg, to 0.04 (width of the 95% interval)?": {
        "entity": "logreg",
        "width": 0.04,
    },
}
known = {"true_scores": "posterior", "seed": 1}  # unconditional, under independent priors
plans = {
    question: br.plan(posterior, "mcc", **known, **options)
    for question, options in questions.items()
}

if __name__ == "__main__":
    for question, found in plans.items():
        print(question)
        print("   ", br.verdict(found)[0])
