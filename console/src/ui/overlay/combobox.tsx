import "./overlay.css";
import { ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { type ComboOption, filterOptions, OptionLines, type OptionSearch } from "./options.tsx";
import { useFloat } from "./placement.ts";

export type { ComboOption };

export interface ComboboxProps {
  readonly id?: string;
  readonly label: string;
  readonly options: readonly ComboOption[];
  /** Where these are the part of many that the server found. */
  readonly search?: OptionSearch | undefined;
  readonly value: string | undefined;
  /** The value in words, where it may not be among the options. */
  readonly chosen?: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string | undefined;
  /** Gets a text that was typed and left without a choice; otherwise such a text is dropped. */
  readonly onUnknown?: (typed: string) => void;
  /** Any text may be written; options are help. */
  readonly isFree?: boolean;
  readonly isDisabled?: boolean;
  readonly isLoading?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
}

/** A field with a list: type to find, arrows to choose. Escape puts back what was there. */
export function Combobox(props: ComboboxProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const combo = useCombo(props);
  const { isOpen, found, active } = combo;
  useFloat(box, list, isOpen, { isWide: true });
  useEffect(() => {
    if (isOpen) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active, isOpen]);
  const isShown = isOpen && found.length > 0;
  return (
    <div ref={box} className="combo">
      <input
        ref={input}
        {...(props.id !== undefined && { id: props.id })}
        className="field"
        role="combobox"
        aria-label={props.label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-invalid={props.isInvalid || undefined}
        aria-describedby={props.describedBy}
        aria-activedescendant={isShown ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={props.placeholder}
        disabled={props.isDisabled}
        value={combo.shown}
        onChange={({ target }) => combo.type(target.value)}
        onClick={({ currentTarget }) => {
          // What is typed takes the place of the name that is shown, and does not follow it.
          if (!isOpen) currentTarget.select();
          combo.open();
        }}
        onKeyDown={combo.onKeyDown}
        onBlur={combo.leave}
      />
      <ListMark
        onToggle={() => {
          input.current?.focus();
          if (isOpen) combo.close();
          else combo.open();
        }}
      />
      {isOpen && (
        <div
          ref={list}
          popover="manual"
          className="float list-box"
          // A press keeps the focus in the field.
          onPointerDown={(event) => event.preventDefault()}
        >
          <div id={`${id}-list`} role="listbox" aria-label={props.label}>
            <OptionLines
              {...{ id, active }}
              value={props.value}
              options={found}
              onActive={(option) => combo.setActive(option.value)}
              onPick={combo.pick}
            />
          </div>
          <ListNote {...props} isEmpty={found.length === 0} />
        </div>
      )}
    </div>
  );
}

/** What is typed, found and chosen. */
function useCombo(props: ComboboxProps) {
  const { options, value, onChange, isFree = false } = props;
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  // By its value: the options around it change while somebody looks at them.
  const [activeValue, setActive] = useState<string>();
  // The option that was picked may not be on the page that is found next.
  const [picked, setPicked] = useState<ComboOption>();
  const chosen = [...options, picked].find((option) => option?.value === value);
  const shown = typed ?? chosen?.label ?? props.chosen ?? value ?? "";
  const { found, isAnswered } = useFound(props, typed ?? "", isOpen);
  // Enter was faster than the server: the first that it finds is meant.
  const [isAwaited, setAwaited] = useState(false);
  const active = Math.max(
    0,
    found.findIndex((option) => option.value === activeValue),
  );
  const close = (): void => {
    setOpen(false);
    setTyped(undefined);
    setAwaited(false);
  };
  const open = (): void => {
    if (props.isDisabled || isOpen) return;
    setActive(typed === undefined ? value : undefined);
    setOpen(true);
  };
  const pick = (option: ComboOption | undefined): void => {
    if (option) onChange(option.value);
    setPicked(option);
    close();
  };
  useEffect(() => {
    if (isAwaited && isAnswered) pick(found[0]);
  });
  /** The option of exactly this name is meant; of another text the field is told. */
  const leaveUnknown = (text: string): void => {
    const same = found.find(({ label }) => label.toLowerCase() === text.toLowerCase());
    if (same) onChange(same.value);
    else if (text !== "") props.onUnknown?.(text);
  };
  /** Leaving keeps a free text; of a closed list only what it has. */
  const leave = (): void => {
    if (typed === "") onChange(undefined);
    else if (typed !== undefined && isFree) onChange(typed);
    else if (typed !== undefined && props.onUnknown) leaveUnknown(typed.trim());
    close();
  };
  const move = (by: number): void => {
    if (!isOpen) return open();
    setActive(found[(active + by + found.length) % Math.max(1, found.length)]?.value);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && isOpen && found.length === 0 && !isFree && !isAnswered)
      setAwaited(true);
    else if (event.key === "Enter" && isOpen && (found.length > 0 || !isFree)) pick(found[active]);
    else if (event.key === "Enter" && typed !== undefined) leave();
    // The list, and not the dialog that the field is in.
    else if (event.key === "Escape" && (isOpen || typed !== undefined)) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const type = (words: string): void => {
    setTyped(words);
    // The best of what is found for these words.
    setActive(undefined);
    setAwaited(false);
    setOpen(true);
  };
  return { isOpen, found, active, shown, open, close, type, pick, leave, setActive, onKeyDown };
}

/**
 * Opens and shuts the list by a press, which keeps the focus in the field: without it, the list would be shut, and
 * opened again.
 */
function ListMark({ onToggle }: { readonly onToggle: () => void }) {
  return (
    <span
      className="combo-mark"
      aria-hidden="true"
      onPointerDown={(event) => event.preventDefault()}
      onClick={onToggle}
    >
      <ChevronsUpDown className="ico" />
    </span>
  );
}

/** The options to show. Until the server has answered these words, those of the words before are narrowed here. */
function useFound({ options, search }: ComboboxProps, typed: string, isOpen: boolean) {
  const onWords = search?.onWords;
  const words = typed.trim();
  useEffect(() => onWords?.(isOpen ? words : undefined), [onWords, words, isOpen]);
  const isAnswered = !search || search.words === words || search.problem !== undefined;
  const isFiltered = search?.words === words;
  const found = useMemo(
    () => (isFiltered ? options : filterOptions(options, words)),
    [isFiltered, options, words],
  );
  return { found, isAnswered };
}

/** What is to be said below the options, or instead of them. */
function ListNote(props: ComboboxProps & { readonly isEmpty: boolean }) {
  const { search, isEmpty, isFree = false } = props;
  const words = ((): string | undefined => {
    if (search?.problem !== undefined) return search.problem;
    if (isEmpty && (search?.isLoading ?? props.isLoading)) return "Loading…";
    if (isEmpty) return isFree ? "Taken as you write it" : "Nothing like that";
    return search?.hasMore ? "Type to find others" : undefined;
  })();
  return (
    <p className="muted list-none" role="status" hidden={words === undefined}>
      {words}
    </p>
  );
}
