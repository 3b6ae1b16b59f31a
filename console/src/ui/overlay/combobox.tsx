import "./overlay.css";
import { Check, ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { useFloat } from "./placement.ts";

export interface ComboOption {
  readonly value: string;
  readonly label: string;
  readonly about?: string | undefined;
  readonly group?: string | undefined;
}

interface ComboboxProps {
  readonly id?: string;
  readonly label: string;
  readonly options: readonly ComboOption[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string | undefined;
  /** Any text may be written; options are help. */
  readonly isFree?: boolean;
  readonly isDisabled?: boolean;
  readonly isLoading?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
}

const SHOWN_MAX = 100;

/** A field with a list: type to find, arrows to choose. Escape puts back what was there. */
export function Combobox(props: ComboboxProps) {
  const { options, value, onChange, isFree = false } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  useFloat(box, list, isOpen, { isWide: true });
  const chosen = options.find((option) => option.value === value);
  const shown = typed ?? chosen?.label ?? value ?? "";
  const found = useMemo(() => filterOptions(options, typed ?? ""), [options, typed]);
  const close = (): void => {
    setOpen(false);
    setTyped(undefined);
  };
  const open = (): void => {
    if (props.isDisabled) return;
    setActive(Math.max(0, typed === undefined ? options.findIndex((o) => o.value === value) : 0));
    setOpen(true);
  };
  const pick = (option: ComboOption | undefined): void => {
    if (option) onChange(option.value);
    close();
  };
  /** Leaving keeps a free text; of a closed list only what it has. */
  const leave = (): void => {
    if (typed === "") onChange(undefined);
    else if (typed !== undefined && isFree) onChange(typed);
    close();
  };
  const move = (by: number): void => {
    if (!isOpen) return open();
    const next = (active + by + found.length) % Math.max(1, found.length);
    setActive(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && isOpen && (found.length > 0 || !isFree)) pick(found[active]);
    else if (event.key === "Enter" && typed !== undefined) leave();
    else if (event.key === "Escape" && isOpen) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} className="combo">
      <input
        {...(props.id !== undefined && { id: props.id })}
        className="field"
        role="combobox"
        aria-label={props.label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-invalid={props.isInvalid || undefined}
        aria-describedby={props.describedBy}
        aria-activedescendant={isOpen && found.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={props.placeholder}
        disabled={props.isDisabled}
        value={shown}
        onChange={({ target }) => {
          setTyped(target.value);
          setActive(0);
          setOpen(true);
        }}
        onClick={open}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <ChevronsUpDown className="ico combo-mark" />
      {isOpen && (
        <div
          ref={list}
          id={`${id}-list`}
          popover="manual"
          role="listbox"
          aria-label={props.label}
          className="float list-box"
          // A press keeps the focus in the field.
          onPointerDown={(event) => event.preventDefault()}
        >
          <Options {...{ id, active, value }} options={found} onActive={setActive} onPick={pick} />
          {found.length === 0 && <p className="muted list-none">{noneOf(props)}</p>}
        </div>
      )}
    </div>
  );
}

function noneOf({ isLoading, isFree }: ComboboxProps): string {
  if (isLoading) return "Loading…";
  return isFree ? "Taken as you write it" : "Nothing like that";
}

function Options(props: {
  readonly id: string;
  readonly options: readonly ComboOption[];
  readonly active: number;
  readonly value: string | undefined;
  readonly onActive: (n: number) => void;
  readonly onPick: (option: ComboOption) => void;
}) {
  return props.options.map((option, n) => (
    <div
      key={option.value}
      id={`${props.id}-${n}`}
      role="option"
      aria-selected={n === props.active}
      className="list-option"
      onMouseMove={() => props.onActive(n)}
      onClick={() => props.onPick(option)}
    >
      <Check className={option.value === props.value ? "ico" : "ico none"} />
      <span className="grow cut">
        {option.label}
        {option.about && <small className="cut">{option.about}</small>}
      </span>
      {option.group && <span className="muted">{option.group}</span>}
    </div>
  ));
}

/** Those that begin with the words first, then those that contain them. */
export function filterOptions(
  options: readonly ComboOption[],
  words: string,
): readonly ComboOption[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return options.slice(0, SHOWN_MAX);
  const ranked = options.map((option) => ({ option, score: scoreOf(option, wanted) }));
  return ranked
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, SHOWN_MAX)
    .map(({ option }) => option);
}

function scoreOf({ label, value, about = "" }: ComboOption, wanted: string): number {
  const text = label.toLowerCase();
  if (text.startsWith(wanted)) return 3;
  if (text.includes(wanted) || value.toLowerCase().startsWith(wanted)) return 2;
  return about.toLowerCase().includes(wanted) ? 1 : 0;
}
