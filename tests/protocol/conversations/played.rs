//! Both agents played by the built-in model, from the page's button.
