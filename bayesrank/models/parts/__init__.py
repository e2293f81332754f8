"""What models are made of: priors, closed forms, joint outcomes, hierarchies and their samplers."""
