"""What pictures are drawn with: colours, contours, axes, styles and pages; ``papers`` and ``report`` use it, too."""
