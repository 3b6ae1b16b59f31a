import { GripVertical, Plus, Trash2 } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Menu } from "../../../ui/overlay/menu.tsx";
import {
  addField,
  FIELD_TYPES,
  FIELD_WORDS,
  FIELDS_MAX,
  type FormField,
  moveField,
  type Pages,
  type Place,
  removeField,
  renamePage,
  stepFrom,
  typeOf,
} from "./form-pages.ts";
import { Button, PlainButton } from "../../../ui/form/button.tsx";
import { TextInput } from "../../../ui/form/controls.tsx";

interface FieldRowsProps {
  readonly pages: Pages;
  readonly chosen: Place | undefined;
  readonly onChoose: (place: Place | undefined) => void;
  readonly onChange: (pages: Pages) => void;
}

/**
 * The pages with their fields in order. Fields are moved by dragging or with Alt and the arrow keys, also across
 * pages.
 */
export function FieldRows({ pages, chosen, onChoose, onChange }: FieldRowsProps) {
  const [dragged, setDragged] = useState<Place>();
  const isOnly = pages.length === 1 && pages[0]?.fields.length === 1;
  const { list, focused } = useRowFocus(pages);
  const move = (from: Place, to: Place | undefined): void => {
    const field = pages[from.page]?.fields[from.field];
    if (!to || !field) return;
    const next = moveField(pages, from, to);
    focused.current = field.name;
    onChange(next);
    onChoose(placeOf(next, field.name));
  };
  // Focuses the next field after the removed one, or the last field.
  const remove = (place: Place): void => {
    const fields = pages.flatMap((page) => page.fields);
    const at = fields.findIndex((one) => one === pages[place.page]?.fields[place.field]);
    const next = removeField(pages, place);
    focused.current = (fields[at + 1] ?? fields[at - 1])?.name;
    onChange(next);
    onChoose(focused.current === undefined ? place : placeOf(next, focused.current));
  };
  const onKeyDown = (event: KeyboardEvent, place: Place): void => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : undefined;
    if (event.key === "Delete") remove(place);
    else if (by !== undefined && event.altKey) move(place, stepFrom(pages, place, by));
    else return;
    event.preventDefault();
  };
  return (
    <div ref={list} className="form-rows">
      {pages.map((page, pageAt) => (
        <section key={pageAt} aria-label={`Page ${pageAt + 1}`}>
          <div className="row">
            <TextInput
              className="grow"
              aria-label={`Title of page ${pageAt + 1}`}
              placeholder={`Page ${pageAt + 1}`}
              value={page.title ?? ""}
              maxLength={200}
              onChange={({ target }) => onChange(renamePage(pages, pageAt, target.value))}
            />
            <Menu
              label={`Add a field to page ${pageAt + 1}`}
              className="btn"
              items={FIELD_TYPES.map((type) => ({
                label: FIELD_WORDS[type],
                disabled:
                  page.fields.length >= FIELDS_MAX
                    ? `A page has at most ${FIELDS_MAX} fields.`
                    : undefined,
                onPick: () => {
                  const next = addField(pages, pageAt, type);
                  focused.current = next[pageAt]?.fields.at(-1)?.name;
                  onChange(next);
                  onChoose({ page: pageAt, field: page.fields.length });
                },
              }))}
            >
              <Plus /> Add
            </Menu>
          </div>
          <ol>
            {page.fields.map((field, fieldAt) => (
              <li
                key={field.name}
                draggable
                className={
                  dragged?.page === pageAt && dragged.field === fieldAt ? "dragged" : undefined
                }
                onDragStart={() => setDragged({ page: pageAt, field: fieldAt })}
                onDragEnd={() => setDragged(undefined)}
                onDragOver={(event) => event.preventDefault()}
                onDrop={() => dragged && move(dragged, { page: pageAt, field: fieldAt })}
              >
                <GripVertical className="ico" aria-hidden="true" />
                <FieldButton
                  field={field}
                  isChosen={chosen?.page === pageAt && chosen.field === fieldAt}
                  onChoose={() => onChoose({ page: pageAt, field: fieldAt })}
                  onKeyDown={(event) => onKeyDown(event, { page: pageAt, field: fieldAt })}
                />
                <Button
                  look="bare"
                  isIcon
                  type="button"
                  aria-label={`Remove ${field.label ?? field.name}`}
                  disabled={isOnly}
                  title={isOnly ? "A form needs at least one field." : undefined}
                  onClick={() => remove({ page: pageAt, field: fieldAt })}
                >
                  <Trash2 />
                </Button>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** Focuses the row of a field after the pages have changed. */
function useRowFocus(pages: Pages) {
  const list = useRef<HTMLDivElement>(null);
  const focused = useRef<string>(undefined);
  useEffect(() => {
    if (focused.current === undefined) return;
    list.current
      ?.querySelector<HTMLElement>(`[data-field="${CSS.escape(focused.current)}"]`)
      ?.focus();
    focused.current = undefined;
  }, [pages]);
  return { list, focused };
}

function FieldButton(props: {
  readonly field: FormField;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}) {
  const { field } = props;
  return (
    <PlainButton
      type="button"
      data-field={field.name}
      className="form-row"
      aria-current={props.isChosen ? "true" : undefined}
      title="Alt and arrow keys move the field, Delete removes it"
      onClick={props.onChoose}
      onKeyDown={props.onKeyDown}
    >
      <span className="grow cut">
        {field.label ?? field.name}
        {field.required === true && <i className="form-star" title="Required" />}
      </span>
      <span className="muted">{FIELD_WORDS[typeOf(field)]}</span>
    </PlainButton>
  );
}

function placeOf(pages: Pages, name: string): Place | undefined {
  for (const [page, { fields }] of pages.entries()) {
    const field = fields.findIndex((one) => one.name === name);
    if (field >= 0) return { page, field };
  }
  return undefined;
}
