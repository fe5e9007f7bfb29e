// Sets the equations that pymdownx.arithmatex marks, with the KaTeX that is part of the site.
for (const place of document.querySelectorAll(".arithmatex")) {
  const text = place.textContent.trim();
  katex.render(text.slice(2, -2), place, { displayMode: text.startsWith("\\["), throwOnError: false });
}
