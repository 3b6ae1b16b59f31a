import { Check, Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useMembers, useTeams } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { useOp } from "../../data/api.ts";
import { useActions } from "../../shell/actions.ts";
import { foldText } from "../../ui/behaviour/fold.ts";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import { useFloat } from "../../ui/overlay/placement.ts";
import { toWords } from "../../ui/words.ts";
import {
  type Chip,
  type DeskSearch,
  NOBODY,
  readChips,
  toggleChip,
  writeChips,
} from "../search.ts";
import { KINDS } from "../ticket-kind.ts";
import { useOwnFieldOptions } from "./own-field-options.ts";
import type { View } from "./views.ts";
import type { Views } from "./use-views.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { Select, TextInput } from "../../ui/form/controls.tsx";

interface FilterBarProps {
  readonly search: DeskSearch;
  readonly onChange: (next: Partial<DeskSearch>) => void;
  readonly view: View;
  readonly views: Views;
  readonly onView: (id: string) => void;
}

interface ChipOption extends Chip {
  readonly label: string;
}

const STATES = ["new", "in_progress", "on_hold", "awaiting_approval", "resolved", "closed"];
const KIND_OPTIONS: readonly ChipOption[] = Object.values(KINDS).map(({ name, word }) => ({
  field: "kind",
  value: name,
  label: `${word}s`,
}));
const SHOWN_MAX = 9;

/** Search words and filter chips of a view. `/` focuses the field; words filter while typing, Enter adds the chip. */
export function FilterBar({ search, onChange, view, views, onView }: FilterBarProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { words, setWords, applyWords } = useWords(search.q, (q, more) => onChange({ q, ...more }));
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const options = useChipOptions(isOpen || /(^|,)field:/.test(search.only ?? ""));
  const chips = readChips(search.only);
  const labelOf = (chip: Chip): string =>
    options.find(({ field: one, value }) => one === chip.field && value === chip.value)?.label ??
    `${toWords(chip.field)}: ${toWords(chip.value)}`;
  const found = useMemo(() => {
    const wanted = foldText(words.trim());
    return options.filter(({ label }) => foldText(label).includes(wanted)).slice(0, SHOWN_MAX);
  }, [options, words]);
  const hasList = isOpen && found.length > 0;
  useFloat(box, list, hasList, { isWide: true });
  useActions([{ keys: "/", label: "Filter tickets", run: () => field.current?.focus() }]);
  const toggle = (chip: Chip): void => {
    // The typed text was the name of the chip, so it is removed.
    applyWords("", { only: writeChips(toggleChip(chips, chip)) });
    setActive(-1);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    if (key === "ArrowDown") setActive(Math.min(found.length - 1, active + 1));
    else if (key === "ArrowUp") setActive(Math.max(-1, active - 1));
    else if (key === "Enter") {
      const chip = found[active];
      if (chip) toggle(chip);
      else field.current?.blur();
    } else if (key === "Backspace" && words === "") {
      if (chips.length > 0) onChange({ only: writeChips(chips.slice(0, -1)) });
    } else if (key === "Escape") field.current?.blur();
    else return;
    event.stopPropagation();
    if (key !== "Backspace") event.preventDefault();
  };
  return (
    <div ref={box} className="filter">
      <ViewSelect {...{ view, views, onView }} />
      <Search className="ico" aria-hidden="true" />
      {chips.map((chip) => (
        <ChipButton
          key={`${chip.field}${chip.value}`}
          label={labelOf(chip)}
          onRemove={() => toggle(chip)}
        />
      ))}
      <TextInput
        isBare
        ref={field}
        role="combobox"
        aria-label="Filter tickets"
        aria-expanded={hasList}
        aria-controls={`${id}-list`}
        aria-activedescendant={hasList && active >= 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={chips.length === 0 ? "Filter" : ""}
        value={words}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          applyWords(words);
          setOpen(false);
          setActive(-1);
        }}
        onChange={({ target }) => {
          setWords(target.value);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
      />
      {hasList && (
        <div
          ref={list}
          id={`${id}-list`}
          popover="manual"
          role="listbox"
          aria-label="Active filters"
          className="float list-box"
          onPointerDown={(event) => event.preventDefault()}
        >
          <ChipOptions {...{ id, chips, active, found }} onActive={setActive} onPick={toggle} />
        </div>
      )}
      {words !== "" && (
        <Button
          look="bare"
          isIcon
          isSmall
          aria-label="Clear filter text"
          onClick={() => applyWords("")}
        >
          <X />
        </Button>
      )}
    </div>
  );
}

const TYPING_MS = 250;

/** The search words, applied shortly after the last key press. */
function useWords(
  q: string | undefined,
  onWords: (q: string | undefined, more?: Partial<DeskSearch>) => void,
) {
  const [words, setShown] = useState(q ?? "");
  const applied = useRef(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { send } = useStableHandlers({ send: onWords });
  useEffect(() => {
    // The address was changed by something other than typing, such as a selected view.
    if (q !== applied.current) setShown(q ?? "");
    applied.current = q;
  }, [q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const applyWords = (text: string, more?: Partial<DeskSearch>): void => {
    clearTimeout(timer.current);
    setShown(text);
    const wanted = text.trim() || undefined;
    if (wanted === applied.current && more === undefined) return;
    applied.current = wanted;
    send(wanted, more);
  };
  const setWords = (text: string): void => {
    setShown(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => applyWords(text), TYPING_MS);
  };
  return { words, setWords, applyWords };
}

/** The view selector for screens that are too narrow for the view pane. */
function ViewSelect({ view, views, onView }: Pick<FilterBarProps, "view" | "views" | "onView">) {
  return (
    <Select
      isBare
      className="filter-view"
      aria-label="View"
      value={view.id}
      onChange={({ target }) => onView(target.value)}
    >
      {views.all.map((one) => (
        <option key={one.id} value={one.id}>
          {one.label}
        </option>
      ))}
    </Select>
  );
}

interface ChipOptionsProps {
  readonly id: string;
  readonly chips: readonly Chip[];
  readonly found: readonly ChipOption[];
  readonly active: number;
  readonly onActive: (n: number) => void;
  readonly onPick: (chip: Chip) => void;
}

function ChipOptions({ id, chips, found, active, onActive, onPick }: ChipOptionsProps) {
  const has = (option: Chip): boolean =>
    chips.some(({ field, value }) => field === option.field && value === option.value);
  return found.map((option, n) => (
    <div
      key={option.label}
      id={`${id}-${n}`}
      role="option"
      aria-selected={n === active}
      className="list-option"
      onMouseMove={() => onActive(n)}
      onClick={() => onPick(option)}
    >
      <Check className={has(option) ? "ico" : "ico none"} />
      <span className="grow cut">{option.label}</span>
    </div>
  ));
}

function ChipButton({
  label,
  onRemove,
}: {
  readonly label: string;
  readonly onRemove: () => void;
}) {
  return (
    <PlainButton className="chip" aria-label={`Remove filter ${label}`} onClick={onRemove}>
      <span className="cut">{label}</span>
      <X className="ico" aria-hidden="true" />
    </PlainButton>
  );
}

function useChipOptions(needsOwn: boolean): readonly ChipOption[] {
  const may = useMay();
  const teams = useTeams();
  const agents = useMembers(
    useMemo(() => [...new Set(teams.flatMap(({ memberIds }) => memberIds))], [teams]),
  );
  const tags = useOp(
    "tickets.list_tags",
    { query: { limit: 50 } },
    { enabled: may("tickets.list_tags") },
  ).data;
  const own = useOwnFieldOptions(needsOwn);
  return useMemo(() => {
    return [
      ...[1, 2, 3, 4, 5].map((n): ChipOption => ({
        field: "priority",
        value: `${n}`,
        label: `P${n}`,
      })),
      ...STATES.map((value): ChipOption => ({ field: "state", value, label: toWords(value) })),
      { field: "assignee", value: NOBODY, label: "Unassigned" },
      ...KIND_OPTIONS,
      ...agents.map(({ id, name }): ChipOption => ({
        field: "assignee",
        value: id,
        label: `Of ${name}`,
      })),
      ...(tags?.data.tags ?? []).map(({ tag }): ChipOption => ({
        field: "tag",
        value: tag,
        label: `# ${tag}`,
      })),
      ...teams.map(({ id, name }): ChipOption => ({
        field: "team",
        value: id,
        label: `Team ${name}`,
      })),
      ...own,
    ];
  }, [agents, teams, tags, own]);
}
