import { Fragment } from "react";

const isMac = navigator.platform.startsWith("Mac");
const NAMES: Readonly<Record<string, string>> = {
  mod: isMac ? "⌘" : "Ctrl",
  shift: "⇧",
  alt: isMac ? "⌥" : "Alt",
  Enter: "↵",
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Delete: "Del",
  Space: "Space",
  Tab: "Tab",
};

/** A key or a sequence of keys, as `mod+k` or `g i`. Screen readers get `aria-keyshortcuts` of what it belongs to. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span className="keys" aria-hidden="true">
      {keys.split(" ").map((chord, n) => (
        <Fragment key={n}>
          {chord.split("+").map((key) => (
            <kbd className="key" key={key}>
              {NAMES[key] ?? key.toUpperCase()}
            </kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}
