import { type KeyboardEvent, lazy, Suspense, useRef, useState } from "react";
import { TextInput } from "../../ui/form/controls.tsx";
import { Keys } from "../../ui/key.tsx";
import { useModal } from "../../ui/overlay/modal.ts";
import type { OnKey } from "./results.tsx";

const LIST_ID = "palette-list";
const KEYS: readonly string[] = ["ArrowDown", "ArrowUp", "Enter"];

/** Called after the first screen has loaded, so that the palette opens with its results. */
export const loadResults = () => import("./results.tsx");
const Results = lazy(async () => ({ default: (await loadResults()).Results }));

/** The command palette: actions of the screen, pages, and resources by name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  const [text, setText] = useState("");
  const [activeId, setActiveId] = useState<string>();
  const onResultsKey = useRef<OnKey>(undefined);
  // Enter was pressed before the first result was found; the first result then opens.
  const [isDue, setDue] = useState(false);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!KEYS.includes(event.key)) return;
    event.preventDefault();
    if (onResultsKey.current) onResultsKey.current(event.key);
    else if (event.key === "Enter") setDue(true);
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search and commands"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <TextInput
        isBare
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={LIST_ID}
        aria-activedescendant={activeId}
        aria-label="Search or run a command"
        placeholder="Search or run a command…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setDue(false);
        }}
        onKeyDown={onKeyDown}
      />
      <Suspense fallback={<p className="palette-none muted">Loading…</p>}>
        <Results
          listId={LIST_ID}
          text={text}
          isDue={isDue}
          onDue={setDue}
          onActive={setActiveId}
          onKey={onResultsKey}
          onClose={onClose}
        />
      </Suspense>
      <footer className="palette-foot">
        <Keys keys="ArrowUp ArrowDown" /> choose <Keys keys="Enter" /> go <Keys keys="Escape" />{" "}
        close
      </footer>
    </dialog>
  );
}
