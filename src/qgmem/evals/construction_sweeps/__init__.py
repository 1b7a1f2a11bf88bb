"""What the numbers of construction cost and give, on simulated lives: window width, overlap, τ.

    make construction-sweeps

`windows.py` sees what each cut of a session leaves readable, `tau.py` how well relations are found at each τ,
`plots.py` draws both. No language model takes part.
"""
