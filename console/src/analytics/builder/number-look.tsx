import { Field } from "../../ui/field.tsx";
import type { PartProps } from "./part.ts";
import { Select, TextInput } from "../../ui/form/controls.tsx";

/** Edits the target and format for a single number. */
export function NumberLook({ draft, onChange }: PartProps) {
  const chart = draft.chart ?? { type: "stat" };
  const put = (change: object): void => onChange({ ...draft, chart: { ...chart, ...change } });
  return (
    <>
      <Field label="Target" isOptional>
        {(attributes) => (
          <span className="build-pair">
            <Select
              className="build-side"
              aria-label="Target direction"
              value={chart.better ?? "up"}
              onChange={({ target }) => put({ better: target.value === "down" ? "down" : "up" })}
            >
              <option value="up">at least</option>
              <option value="down">at most</option>
            </Select>
            <TextInput
              {...attributes}
              type="number"
              step="any"
              value={chart.target ?? ""}
              onChange={({ target }) =>
                put({ target: target.value === "" ? undefined : Number(target.value) })
              }
            />
          </span>
        )}
      </Field>
      <Field label="Format">
        {(attributes) => (
          <span className="build-pair">
            <Select
              {...attributes}
              value={chart.format ?? "number"}
              onChange={({ target }) => put({ format: target.value })}
            >
              <option value="number">Number</option>
              <option value="percent">Percent</option>
              <option value="duration">Duration (from ms)</option>
            </Select>
            <TextInput
              className="build-side"
              aria-label="Unit"
              placeholder="Unit"
              value={chart.unit ?? ""}
              onChange={({ target }) =>
                put({ unit: target.value === "" ? undefined : target.value })
              }
            />
          </span>
        )}
      </Field>
    </>
  );
}
