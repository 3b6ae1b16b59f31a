import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useMemo,
  useState,
} from "react";
import { findTrigger, rankChoices } from "./trigger.ts";

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly about?: string | undefined;
  /** The text that is inserted. */
  readonly text: string;
  /** Loads the text with the ticket's values filled in by the server. */
  readonly load?: () => Promise<string>;
}

/** The completions of `;` and `@`. */
export interface Completion {
  readonly modules: readonly Choice[];
  readonly people: readonly Choice[];
}

interface Popup {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly list: ReactNode;
  /** Returns true if it handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly close: () => void;
}

/** A completion list for text fields: text modules after `;`, people after `@`. */
export function useCompletion(
  area: RefObject<HTMLTextAreaElement | null>,
  text: string,
  { modules, people }: Completion,
  insert: (text: string, from: number) => void,
): Popup {
  const id = useId();
  const [active, setActive] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const caret = area.current?.selectionEnd ?? text.length;
  const trigger = findTrigger(text, Math.min(caret, text.length));
  const found = useMemo(
    () => (trigger ? rankChoices(trigger.mark === ";" ? modules : people, trigger.words) : []),
    [trigger?.mark, trigger?.words, modules, people],
  );
  const isOpen =
    trigger !== undefined &&
    trigger.from !== closedAt &&
    found.length > 0 &&
    document.activeElement === area.current;
  const pick = (choice: Choice | undefined): void => {
    setActive(0);
    if (!choice || !trigger) return;
    const { from } = trigger;
    if (!choice.load) return insert(choice.text, from);
    // If the server can't fill in the values, the plain text is inserted.
    choice.load().then(
      (filled) => insert(filled, from),
      () => insert(choice.text, from),
    );
  };
  const close = (): void => setClosedAt(trigger?.from);
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    const { key } = event;
    if (key === "ArrowDown") setActive((active + 1) % found.length);
    else if (key === "ArrowUp") setActive((active + found.length - 1) % found.length);
    else if ((key === "Enter" && !event.ctrlKey && !event.metaKey) || key === "Tab")
      pick(found[active] ?? found[0]);
    else if (key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const list = isOpen && (
    <div
      id={id}
      className="completion list-box"
      role="listbox"
      aria-label={trigger.mark === ";" ? "Text modules" : "People"}
      onPointerDown={(event) => event.preventDefault()}
    >
      {found.map((choice, n) => (
        <div
          key={choice.id}
          id={`${id}-${n}`}
          role="option"
          aria-selected={n === active}
          className="list-option"
          onMouseMove={() => setActive(n)}
          onClick={() => pick(choice)}
        >
          <span className="grow cut">
            {choice.label}
            {choice.about !== undefined && <small className="cut">{choice.about}</small>}
          </span>
        </div>
      ))}
    </div>
  );
  const attributes = isOpen
    ? {
        "aria-controls": id,
        "aria-activedescendant": `${id}-${active}`,
        "aria-autocomplete": "list",
      }
    : {};
  return { attributes, list, onKeyDown, close };
}
