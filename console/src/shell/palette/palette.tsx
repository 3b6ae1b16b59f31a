import { type KeyboardEvent, useEffect, useState } from "react";
import { findFolded } from "../../ui/behaviour/fold.ts";
import { useModal } from "../../ui/overlay/modal.ts";
import { Keys } from "../../ui/key.tsx";
import { useEntries } from "./entries.tsx";
import type { Entry } from "./entry.ts";
import { TextInput } from "../../ui/form/controls.tsx";

const LIST_ID = "palette-list";

/** The command palette: actions of the screen, pages, and resources by name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const dialog = useModal();
  const [text, setText] = useState("");
  const [chosenId, setChosenId] = useState<string>();
  const { entries, isSearching, error } = useEntries(text);
  // Keeps the selection when better results arrive above it.
  const chosen = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosenId),
  );
  // Enter after a ticket number opens the ticket without waiting for the search.
  const [isDue, setDue] = useState(false);
  const pick = (entry: Entry | undefined): void => {
    if (!entry || entry.disabled !== undefined) return;
    onClose();
    entry.run();
  };
  const move = (by: number): void => {
    const next = (chosen + by + entries.length) % entries.length;
    setChosenId(entries[next]?.id);
    document.getElementById(`palette-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) move(by);
    else if (event.key === "Enter") {
      if (entries.length > 0) pick(entries[chosen]);
      else setDue(isSearching);
    } else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (!isDue || isSearching) return;
    setDue(false);
    pick(entries[0]);
  });
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
        aria-activedescendant={entries.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Search or run a command"
        placeholder="Search or run a command…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosenId(undefined);
          setDue(false);
        }}
        onKeyDown={onKeyDown}
      />
      <Entries
        entries={entries}
        chosen={chosen}
        text={text}
        none={isSearching ? "Searching…" : (error?.message ?? "No results.")}
        onChoose={setChosenId}
        onPick={pick}
      />
      <footer className="palette-foot">
        <Keys keys="ArrowUp ArrowDown" /> choose <Keys keys="Enter" /> go <Keys keys="Escape" />{" "}
        close
      </footer>
    </dialog>
  );
}

function Entries(props: {
  readonly entries: readonly Entry[];
  readonly chosen: number;
  readonly text: string;
  /** The text of the empty state. */
  readonly none: string;
  readonly onChoose: (id: string) => void;
  readonly onPick: (entry: Entry) => void;
}) {
  const { entries, chosen, text } = props;
  if (entries.length === 0) {
    return (
      <p className="palette-none muted" role="status">
        {props.none}
      </p>
    );
  }
  return (
    <div id={LIST_ID} role="listbox" aria-label="Results" className="scroll palette-list">
      {entries.map((entry, n) => (
        <div key={entry.id} role="presentation">
          {text === "" && entry.group !== entries[n - 1]?.group && (
            <h3 role="presentation">{entry.group}</h3>
          )}
          <div
            id={`palette-${n}`}
            className="palette-entry"
            role="option"
            aria-selected={n === chosen}
            aria-disabled={entry.disabled !== undefined}
            title={entry.disabled}
            onMouseMove={() => props.onChoose(entry.id)}
            onClick={() => props.onPick(entry)}
          >
            {entry.icon}
            <span className="grow cut">
              <Marked text={entry.label} typed={text} />
            </span>
            {text !== "" && <span className="muted">{entry.group}</span>}
            {entry.hint}
          </div>
        </div>
      ))}
    </div>
  );
}

function Marked({ text, typed }: { readonly text: string; readonly typed: string }) {
  const found = findFolded(text, typed);
  if (!found) return text;
  const { from, to } = found;
  return (
    <>
      {text.slice(0, from)}
      <mark>{text.slice(from, to)}</mark>
      {text.slice(to)}
    </>
  );
}
