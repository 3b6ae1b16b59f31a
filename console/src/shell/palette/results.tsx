/** The results below the search field of the palette. */
import { type RefObject, useEffect, useState } from "react";
import { findFolded } from "../../ui/behaviour/fold.ts";
import { useEntries } from "./entries.tsx";
import type { Entry } from "./entry.ts";

/** Receives the arrow keys and Enter. */
export type OnKey = (key: string) => void;

interface Chosen {
  readonly id: string;
  readonly text: string;
}

interface ResultsProps {
  readonly listId: string;
  readonly text: string;
  /** True if the first result opens when it is found. */
  readonly isDue: boolean;
  readonly onDue: (isDue: boolean) => void;
  /** Reports the id of the selected element. */
  readonly onActive: (id: string | undefined) => void;
  /** Set while results are displayed. */
  readonly onKey: RefObject<OnKey | undefined>;
  readonly onClose: () => void;
}

export function Results({ text, isDue, onDue, onActive, onKey, onClose, listId }: ResultsProps) {
  const [selected, setSelected] = useState<Chosen>();
  const { entries, isSearching, error } = useEntries(text);
  // Keeps the selection when better results arrive above it.
  const chosen = Math.max(
    0,
    entries.findIndex(({ id }) => id === selected?.id && text === selected.text),
  );
  const choose = (id: string | undefined): void =>
    setSelected(id === undefined ? undefined : { id, text });
  const pick = (entry: Entry | undefined): void => {
    if (!entry || entry.disabled !== undefined) return;
    onClose();
    entry.run();
  };
  const move = (by: number): void => {
    const next = (chosen + by + entries.length) % entries.length;
    choose(entries[next]?.id);
    document.getElementById(`palette-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  useEffect(() => {
    onKey.current = (key) => {
      if (key === "ArrowDown") move(1);
      else if (key === "ArrowUp") move(-1);
      // Enter after a ticket number opens the ticket without waiting for the search.
      else if (entries.length > 0) pick(entries[chosen]);
      else onDue(isSearching);
    };
    return () => (onKey.current = undefined);
  });
  const activeId = entries.length > 0 ? `palette-${chosen}` : undefined;
  useEffect(() => onActive(activeId), [activeId, onActive]);
  useEffect(() => {
    if (!isDue || (isSearching && entries.length === 0)) return;
    onDue(false);
    pick(entries[0]);
  });
  return (
    <Entries
      listId={listId}
      entries={entries}
      chosen={chosen}
      text={text}
      none={isSearching ? "Searching…" : (error?.message ?? "No results.")}
      onChoose={choose}
      onPick={pick}
    />
  );
}

function Entries(props: {
  readonly listId: string;
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
    <div id={props.listId} role="listbox" aria-label="Results" className="scroll palette-list">
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
