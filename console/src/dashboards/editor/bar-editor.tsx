import { Plus, X } from "lucide-react";
import { PERIODS } from "../../analytics/index.ts";
import { useOp } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import type { Draft } from "./draft.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

interface BarEditorProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onClose: () => void;
}

/** The default period of all tiles, and the fields of the filter bar. */
export function BarEditor({ draft, onChange, onClose }: BarEditorProps) {
  const { filters, period } = draft;
  const source = draft.widgets.find(({ report }) => report)?.report?.source;
  const fields =
    useOp(
      "reports.fields",
      { body: { source: source ?? { kind: "events" } } },
      { enabled: source !== undefined },
    ).data?.data ?? [];
  const put = (next: Draft["filters"]): void => onChange({ ...draft, filters: next });
  const chosen = PERIODS.find(({ from, to }) => from === period?.from && to === period.to)?.id;
  return (
    <aside className="dash-side" aria-label="Filter bar">
      <header>
        <h2>Filter bar</h2>
        <Button look="bare" isIcon type="button" aria-label="Close filter bar" onClick={onClose}>
          <X />
        </Button>
      </header>
      <div className="dash-side-body">
        <Field label="Period for all tiles" help="Viewers can select another period.">
          {(attributes) => (
            <Select
              {...attributes}
              value={chosen ?? ""}
              onChange={({ target }) => {
                const found = PERIODS.find(({ id }) => id === target.value);
                const next = found && {
                  from: found.from,
                  ...(found.to !== undefined && { to: found.to }),
                };
                onChange({ ...draft, period: next ?? null });
              }}
            >
              <option value="">Period of each tile</option>
              {PERIODS.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div className="field-box">
          <span className="build-label">Filter fields</span>
          {filters.map(({ field }, n) => (
            <div key={n} className="build-line">
              <Select
                aria-label={`Field ${n + 1}`}
                value={field}
                onChange={({ target }) =>
                  put(filters.map((one, at) => (at === n ? toFilter(fields, target.value) : one)))
                }
              >
                {!fields.some(({ name }) => name === field) && <option>{field}</option>}
                {fields.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title ?? name}
                  </option>
                ))}
              </Select>
              <Button
                look="bare"
                isIcon
                type="button"
                aria-label={`Remove field ${n + 1}`}
                onClick={() => put(filters.filter((_, at) => at !== n))}
              >
                <X />
              </Button>
            </div>
          ))}
          <Button
            look="bare"
            type="button"
            disabled={fields.length === 0}
            onClick={() => {
              const free = fields.find(
                ({ name, type }) => type === "text" && !filters.some(({ field }) => field === name),
              );
              if (free) put([...filters, toFilter(fields, free.name)]);
            }}
          >
            <Plus /> Add field
          </Button>
        </div>
      </div>
    </aside>
  );
}

const LABEL_CHARACTERS_MAX = 100;

/** Returns a filter for a field, labelled with the field's title. */
function toFilter(
  fields: readonly { readonly name: string; readonly title?: string }[],
  field: string,
): Draft["filters"][number] {
  const title = fields.find(({ name }) => name === field)?.title;
  return title === undefined || title.length > LABEL_CHARACTERS_MAX
    ? { field }
    : { field, label: title };
}
