/**
 * A list below a cell: type to filter, arrow keys to move, Enter to select. Cells with several values allow
 * several.
 */
import { Check } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useFloat } from "../../ui/overlay/placement.ts";
import type { GridColumn } from "../column/column.ts";
import { Choice } from "./cell-content.tsx";
import type { ChoiceOption, Leave } from "./choice-option.ts";
import { TextInput } from "../../ui/form/controls.tsx";

interface ChoiceListProps {
  readonly label: string;
  /** Renders the options as choices of this column. */
  readonly column?: GridColumn;
  readonly options: readonly ChoiceOption[];
  readonly chosen: readonly string[];
  readonly typed: string | undefined;
  readonly mayClear: boolean;
  readonly isMany?: boolean;
  readonly isLoading?: boolean;
  /** Searches on the server; by default, the list is filtered locally. */
  readonly onWords?: (words: string) => void;
  readonly onPick: (value: string | undefined) => void;
  readonly onLeave: (leave: Leave) => void;
  readonly onCancel: () => void;
}

const NOTHING = "";

export function ChoiceList(props: ChoiceListProps) {
  const { options, chosen, column, onWords, onPick, onLeave, isMany = false } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const isDone = useRef(false);
  const [words, setWords] = useState(props.typed ?? "");
  const found = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    const fit = onWords
      ? options
      : options.filter(({ label }) => label.toLowerCase().includes(wanted));
    const none: ChoiceOption = { value: NOTHING, label: "Clear value" };
    return props.mayClear && wanted === "" && chosen.length > 0 ? [...fit, none] : fit;
  }, [options, words, onWords, props.mayClear, chosen.length]);
  const first = options.findIndex(({ value }) => chosen.includes(value));
  const [active, setActive] = useState(Math.max(0, first));
  useFloat(field, list, true, { isWide: true });
  useEffect(() => field.current?.focus(), []);
  const pick = (n: number): void => {
    const option = found[n];
    if (!option) return;
    if (!isMany) isDone.current = true;
    onPick(option.value === NOTHING ? undefined : option.value);
    if (isMany) setWords("");
  };
  const leave = (to: Leave): void => {
    if (isDone.current) return;
    isDone.current = true;
    onLeave(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const { key } = event;
    const count = Math.max(1, found.length);
    if (key === "ArrowDown") setActive((active + 1) % count);
    else if (key === "ArrowUp") setActive((active - 1 + count) % count);
    else if (key === "Enter" && isMany && words === "" && !found[active]) leave("down");
    else if (key === "Enter") pick(active);
    else if (key === "Tab") leave(event.shiftKey ? "left" : "right");
    else if (key === "Escape" && isMany) leave("stay");
    else if (key === "Escape") {
      isDone.current = true;
      props.onCancel();
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        isBare
        className="cell-field"
        ref={field}
        role="combobox"
        aria-label={props.label}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={isMany ? "Select options…" : "Search…"}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setActive(0);
          onWords?.(target.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => leave("stay")}
      />
      <div
        ref={list}
        id={id}
        popover="manual"
        role="listbox"
        aria-label={props.label}
        aria-multiselectable={isMany || undefined}
        className="float list-box"
        // Prevents the click from taking focus from the field.
        onPointerDown={(event) => event.preventDefault()}
      >
        {found.map((option, n) => (
          <OptionLine
            key={option.value}
            id={`${id}-${n}`}
            {...{ option, column }}
            isActive={n === active}
            isChosen={chosen.includes(option.value)}
            onActive={() => n !== active && setActive(n)}
            onPick={() => pick(n)}
          />
        ))}
        {found.length === 0 && (
          <p className="muted list-none">{props.isLoading ? "Loading…" : "No matches"}</p>
        )}
      </div>
    </>
  );
}

interface OptionLineProps {
  readonly id: string;
  readonly option: ChoiceOption;
  readonly column: GridColumn | undefined;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly onActive: () => void;
  readonly onPick: () => void;
}

function OptionLine({ id, option, column, isActive, isChosen, onActive, onPick }: OptionLineProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className="list-option"
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: "nearest" });
      }}
      onMouseMove={onActive}
      onClick={onPick}
    >
      <Check className={isChosen ? "ico" : "ico none"} />
      <span className="grow cut">
        {column && option.value !== NOTHING ? (
          <Choice column={column} value={option.value} />
        ) : (
          <span className={option.value === NOTHING ? "muted" : ""}>{option.label}</span>
        )}
        {option.about !== undefined && <small className="cut">{option.about}</small>}
      </span>
    </div>
  );
}
