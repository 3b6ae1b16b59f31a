import { GripVertical, Plus, Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Menu } from "../../ui/overlay/menu.tsx";
import { count } from "../../ui/words.ts";
import { FIELD_TYPES, type FieldType, type FormField, TITLES } from "./form-model.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";

interface FieldListProps {
  readonly fields: readonly FormField[];
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
  readonly onAdd: (type: FieldType) => void;
  readonly onMove: (from: number, to: number) => void;
  readonly onRemove: (name: string) => void;
}

/** The fields in order, moved by dragging or with Alt and the arrow keys. */
export function FieldList(props: FieldListProps) {
  const { fields, chosen } = props;
  const [dragged, setDragged] = useState<number>();
  const onKeyDown = (event: KeyboardEvent, n: number, name: string): void => {
    if (event.key === "Delete") props.onRemove(name);
    else if (event.altKey && event.key === "ArrowUp") props.onMove(n, n - 1);
    else if (event.altKey && event.key === "ArrowDown") props.onMove(n, n + 1);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = fields[n + (event.key === "ArrowDown" ? 1 : -1)];
      if (!next) return;
      props.onChoose(next.name);
      document.getElementById(`field-${next.name}`)?.focus();
    } else return;
    event.preventDefault();
  };
  return (
    <div className="cat-fields">
      <div className="cat-fields-head">
        <h2>{count(fields.length, "field")}</h2>
        <span className="grow" />
        <Menu
          label="Add field"
          items={FIELD_TYPES.map((type) => ({
            label: TITLES[type],
            onPick: () => props.onAdd(type),
          }))}
        >
          <Plus /> Add field
        </Menu>
      </div>
      <ol aria-label="Fields">
        {fields.map(({ name, title, type, isRequired, when }, n) => (
          <li
            key={name}
            className={dragged === n ? "dragged" : undefined}
            draggable
            onDragStart={() => setDragged(n)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={() => dragged !== undefined && props.onMove(dragged, n)}
          >
            <GripVertical className="ico" aria-hidden="true" />
            <PlainButton
              id={`field-${name}`}
              className={type === "section" ? "cat-field section" : "cat-field"}
              aria-current={name === chosen ? "true" : undefined}
              title="Drag to move, or press Alt and an arrow key. Delete removes the field."
              onClick={() => props.onChoose(name)}
              onKeyDown={(event) => onKeyDown(event, n, name)}
            >
              <span className="grow cut">
                {title || name}
                {isRequired && <i className="form-star" title="Required" />}
              </span>
              {when && <span className="cat-when">if</span>}
              <span className="muted">{TITLES[type]}</span>
            </PlainButton>
            <Button
              look="bare"
              isIcon
              aria-label={`Remove ${title || name}`}
              onClick={() => props.onRemove(name)}
            >
              <Trash2 />
            </Button>
          </li>
        ))}
      </ol>
    </div>
  );
}
