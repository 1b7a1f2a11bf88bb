"""What is learned, and how: recipes that make the data files this package ships."""
