// Runs before the first paint, so that nobody who works in the dark is flashed at. It is a file because the policy allows no inline script.
document.documentElement.dataset.theme =
  localStorage.getItem("theme") ??
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
