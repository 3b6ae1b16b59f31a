import type { LucideIcon } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly about?: string | undefined;
  readonly icon: LucideIcon;
  readonly group?: string;
  readonly onPick: () => void;
}

interface ChoiceDialogProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly onClose: () => void;
  readonly isLoading?: boolean;
  readonly none?: string;
}

/** A choice dialog: letters filter, arrow keys move, Enter selects. */
export function ChoiceDialog({ title, choices, onClose, isLoading, none }: ChoiceDialogProps) {
  const [words, setWords] = useState("");
  const [active, setActive] = useState(0);
  const wanted = words.trim().toLowerCase();
  const found = choices.filter(({ label, about = "" }) =>
    `${label} ${about}`.toLowerCase().includes(wanted),
  );
  const pick = (choice: Choice | undefined): void => {
    if (!choice) return;
    onClose();
    choice.onPick();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = (active + by + found.length) % Math.max(1, found.length);
    setActive(next);
    document.getElementById(`choice-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  return (
    <Dialog title={title} onClose={onClose} onSubmit={() => pick(found[active])}>
      <TextInput
        type="search"
        aria-label={title}
        placeholder="Search…"
        role="combobox"
        aria-expanded
        aria-controls="choices"
        aria-activedescendant={found.length > 0 ? `choice-${active}` : undefined}
        value={words}
        onKeyDown={onKeyDown}
        onChange={({ target }) => {
          setWords(target.value);
          setActive(0);
        }}
      />
      <div id="choices" role="listbox" aria-label={title} className="choice-list">
        {found.map((choice, n) => (
          <div
            key={choice.id}
            id={`choice-${n}`}
            role="option"
            aria-selected={n === active}
            className="app-choice"
            onMouseMove={() => setActive(n)}
            onClick={() => pick(choice)}
          >
            <choice.icon className="ico" />
            <span className="grow">
              <b className="cut">{choice.label}</b>
              {choice.about !== undefined && <span className="muted cut">{choice.about}</span>}
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className="muted">{isLoading ? "Loading…" : (none ?? "No matches")}</p>
      )}
    </Dialog>
  );
}
