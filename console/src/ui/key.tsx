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

/** A key or key sequence, such as `mod+k` or `g i`. Screen readers use `aria-keyshortcuts` of the control. */
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
