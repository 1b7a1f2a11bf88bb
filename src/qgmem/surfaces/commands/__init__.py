"""Commands, one file a group; each is a few calls of the facade and a way to show what came back."""
