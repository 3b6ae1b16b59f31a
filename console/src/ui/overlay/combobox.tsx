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
  /** The search state, if the options are only those that the server found. */
  readonly search?: OptionSearch | undefined;
  readonly value: string | undefined;
  /** The label of the value, which may not be among the options. */
  readonly chosen?: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string | undefined;
  /** Called with text that does not match an option on blur; by default such text is discarded. */
  readonly onUnknown?: (typed: string) => void;
  /** Accepts any text; options are suggestions. */
  readonly isFree?: boolean;
  readonly isDisabled?: boolean;
  readonly isLoading?: boolean;
  readonly isInvalid?: boolean;
  readonly describedBy?: string | undefined;
}

/** A field with a list: type to search, arrow keys to select. Escape restores the previous value. */
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
          // Selects the displayed name, so that typing replaces it.
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
          // Prevents the click from taking focus from the field.
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

/** The typed text, the matching options and the selection. */
function useCombo(props: ComboboxProps) {
  const { options, value, onChange, isFree = false } = props;
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  // Identified by value, because the options can change while the list is open.
  const [activeValue, setActive] = useState<string>();
  // Kept here, because the next search results may not contain the selected option.
  const [picked, setPicked] = useState<ComboOption>();
  const chosen = [...options, picked].find((option) => option?.value === value);
  const shown = typed ?? chosen?.label ?? props.chosen ?? value ?? "";
  const { found, isAnswered } = useFound(props, typed ?? "", isOpen);
  // Enter was pressed before the server responded: the first result is selected.
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
  /** Selects the option with exactly this name; otherwise reports the text as unknown. */
  const leaveUnknown = (text: string): void => {
    const same = found.find(({ label }) => label.toLowerCase() === text.toLowerCase());
    if (same) onChange(same.value);
    else if (text !== "") props.onUnknown?.(text);
  };
  /** On blur, a free field keeps its text; others only accept options. */
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
    // Closes the list, but not the dialog around the field.
    else if (event.key === "Escape" && (isOpen || typed !== undefined)) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const type = (words: string): void => {
    setTyped(words);
    // Activates the best match for the new text.
    setActive(undefined);
    setAwaited(false);
    setOpen(true);
  };
  return { isOpen, found, active, shown, open, close, type, pick, leave, setActive, onKeyDown };
}

/**
 * Opens and closes the list on click and keeps the focus in the field: otherwise blur would close the list, and the
 * click would open it again.
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

/** The options to show. Until the server responds, the previous options are filtered locally. */
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

/** The message below or instead of the options. */
function ListNote(props: ComboboxProps & { readonly isEmpty: boolean }) {
  const { search, isEmpty, isFree = false } = props;
  const words = ((): string | undefined => {
    if (search?.problem !== undefined) return search.problem;
    if (isEmpty && (search?.isLoading ?? props.isLoading)) return "Loading…";
    if (isEmpty) return isFree ? "Press Enter to use this value" : "No matches";
    return search?.hasMore ? "Type to search for more" : undefined;
  })();
  return (
    <p className="muted list-none" role="status" hidden={words === undefined}>
      {words}
    </p>
  );
}
