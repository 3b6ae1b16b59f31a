// Runs before the first paint, so that nobody who works in the dark is flashed at. It is a file because the policy allows no inline script.
document.documentElement.dataset.theme =
  localStorage.getItem("theme") ??
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
// A person who is inside sees the frame of the page before its script is there.
if (localStorage.getItem("millrace.workspace") !== null && !location.pathname.endsWith("/login"))
  document.documentElement.dataset.frame = localStorage.getItem("millrace.menu") ?? "wide";
