/** The theme: light, dark, or the system theme. A script in `public` applies it before the first paint. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "theme";
const dark = matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

const readTheme = (): Theme =>
  THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "system";

function apply(): void {
  const theme = readTheme();
  const isDark = theme === "dark" || (theme === "system" && dark.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const watcher of watchers) watcher();
}

dark.addEventListener("change", apply);
// Another tab changed the theme.
addEventListener("storage", ({ key }) => key === KEY && apply());

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  apply();
}

export function switchTheme(): void {
  chooseTheme(document.documentElement.dataset["theme"] === "dark" ? "light" : "dark");
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme);
