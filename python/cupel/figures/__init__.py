"""`cupel figures`: a run's or a suite's figures for a paper, each as SVG, as PDF where matplotlib
is installed, and as the CSV that it is drawn from."""
