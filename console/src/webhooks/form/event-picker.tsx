import { ChevronRight, X } from "lucide-react";
import { useState } from "react";
import { Loading } from "../../ui/feedback.tsx";
import { useEventKinds } from "./event-kinds.ts";
import { type EventGroup, groupTypes, takes, togglePattern } from "./event-types.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CheckBox, TextInput } from "../../ui/form/controls.tsx";

interface EventPickerProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly isDisabled: boolean;
  readonly error: string | undefined;
}

const PATTERN = /^[\w-]+(\.[\w-]+)*(\.\*)?$|^\*$/;

/** Selects events by namespace: all types or some. Users can type unlisted ones. */
export function EventPicker({ chosen, onChange, isDisabled, error }: EventPickerProps) {
  const [words, setWords] = useState("");
  const types = useEventKinds();
  const groups = groupTypes(types ?? [], words);
  const typed = words.trim();
  const mayAdd = PATTERN.test(typed) && !chosen.includes(typed);
  const toggle = (pattern: string): void => onChange(togglePattern(chosen, pattern));
  const add = (): void => {
    if (!mayAdd) return;
    toggle(typed);
    setWords("");
  };
  return (
    <fieldset className="hook-events" disabled={isDisabled}>
      <legend>Events</legend>
      {chosen.length > 0 && (
        <ul className="hook-chosen" aria-label="Selected events">
          {chosen.map((pattern) => (
            <li key={pattern} className="hook-chip mono">
              {pattern === "*" ? "* (everything)" : pattern}
              <PlainButton
                type="button"
                aria-label={`Remove ${pattern}`}
                onClick={() => toggle(pattern)}
              >
                <X className="ico" />
              </PlainButton>
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <TextInput
          className="grow"
          type="search"
          aria-label="Search events"
          aria-invalid={error === undefined ? undefined : true}
          placeholder="Search or enter an event: incident.created, orders.*"
          spellCheck={false}
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <Button type="button" disabled={!mayAdd} onClick={add}>
          Add
        </Button>
      </div>
      <div className="hook-groups scroll" role="group" aria-label="All events" tabIndex={0}>
        {groups.map(({ namespace, pattern, types: some }) => (
          <EventGroupRows
            key={namespace}
            group={{ namespace, pattern, types: some }}
            chosen={chosen}
            isFound={words.trim() !== "" && groups.length < 6}
            onToggle={toggle}
          />
        ))}
        {types === undefined && <Loading rows={3} />}
        {types !== undefined && groups.length === 0 && (
          <p className="muted hook-none">
            No matching events. To use an event of a custom topic, enter its type and press Add.
          </p>
        )}
      </div>
      {error !== undefined && <p className="field-error">{error}</p>}
    </fieldset>
  );
}

interface EventGroupProps {
  readonly group: EventGroup;
  readonly chosen: readonly string[];
  /** Expanded automatically during a search. */
  readonly isFound: boolean;
  readonly onToggle: (pattern: string) => void;
}

function EventGroupRows({ group, chosen, isFound, onToggle }: EventGroupProps) {
  const { namespace, pattern, types } = group;
  const [isTurned, setTurned] = useState(false);
  const isOpen = isTurned !== isFound;
  return (
    <div>
      <div className="hook-group">
        <label className="hook-type grow">
          <CheckBox
            aria-label={`All events of ${namespace}`}
            checked={chosen.some((one) => one === "*" || one === pattern)}
            disabled={chosen.includes("*")}
            onChange={() => onToggle(pattern)}
          />
          <span className="mono">{pattern}</span>
        </label>
        <PlainButton
          type="button"
          className="hook-unfold"
          aria-expanded={isOpen}
          aria-label={`${types.length} types of ${namespace}`}
          onClick={() => setTurned(!isTurned)}
        >
          {types.length} <ChevronRight className="ico" />
        </PlainButton>
      </div>
      {isOpen &&
        types.map(({ type, summary }) => {
          const cover = chosen.find((one) => one !== type && takes(one, type));
          return (
            <label key={type} className="hook-type indent">
              <CheckBox
                checked={cover !== undefined || chosen.includes(type)}
                disabled={cover !== undefined}
                onChange={() => onToggle(type)}
              />
              <span className="hook-type-words">
                <span className="mono">{type}</span>
                <span className="muted">{summary}</span>
              </span>
            </label>
          );
        })}
    </div>
  );
}
