/*
 * Runs before anything is painted, from a file of its own since the page allows no inline script: light or dark as the
 * viewer chose, or as their system is.
 */
const chosen = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // A browser that keeps nothing for pages.
  }
})();
const isDark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
