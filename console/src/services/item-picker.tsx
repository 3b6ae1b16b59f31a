import "./item-picker.css";
import "../ui/display/item-chip.css";
import { X } from "lucide-react";
import { useState } from "react";
import { cache, query, useOp } from "../data/api.ts";
import { useDebounced } from "../ui/behaviour/debounce.ts";
import { toWords } from "../ui/words.ts";

const OFFERS = 8;
const PAUSE_MS = 150;

interface ItemPickerProps {
  readonly id: string;
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly placeholder?: string;
}

/**
 * Chosen configuration items as chips, and a field that finds more. Arrows choose, Enter adds, Backspace takes back.
 */
export function ItemPicker({ id, value, onChange, placeholder }: ItemPickerProps) {
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const q = useDebounced(text.trim(), PAUSE_MS);
  const found = useOp("cmdb.list_items", { query: { q, limit: OFFERS } }, { enabled: q !== "" });
  const offers =
    q === "" ? [] : (found.data?.data ?? []).filter((item) => !value.includes(item.id));
  const isOpen = text.trim() !== "" && offers.length > 0;
  const add = (n: number): void => {
    const item = offers[n];
    if (!item) return;
    cache.setQueryData(query("cmdb.get_item", { params: { id: item.id } }).queryKey, {
      data: item,
    });
    onChange([...value, item.id]);
    setText("");
    setActive(0);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === "Backspace" && text === "") return onChange(value.slice(0, -1));
    if (!isOpen) return;
    if (event.key === "ArrowDown") setActive((active + 1) % offers.length);
    else if (event.key === "ArrowUp") setActive((active - 1 + offers.length) % offers.length);
    else if (event.key === "Enter") add(active);
    else if (event.key === "Escape") setText("");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="item-picker">
      {value.length > 0 && (
        <ul aria-label="Chosen items">
          {value.map((one) => (
            <li key={one}>
              <Chip id={one} onRemove={() => onChange(value.filter((other) => other !== one))} />
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        className="field"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-offers`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder={placeholder ?? "Find an item by its name…"}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div id={`${id}-offers`} role="listbox" aria-label="Items" className="item-offers">
          {offers.map((item, n) => (
            <div
              key={item.id}
              id={`${id}-${n}`}
              role="option"
              aria-selected={n === active}
              onPointerDown={(event) => {
                event.preventDefault();
                add(n);
              }}
            >
              <span className="grow cut">{item.name}</span>
              <span className="muted">{toWords(item.class)}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

function Chip({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const name = useOp("cmdb.get_item", { params: { id } }).data?.data.name ?? "…";
  return (
    <span className="item-chip">
      <span className="cut">{name}</span>
      <button type="button" aria-label={`Without ${name}`} onClick={onRemove}>
        <X />
      </button>
    </span>
  );
}
