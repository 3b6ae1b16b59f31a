import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import { CheckField, LineField, PeopleField, SelectField } from "../../desk-settings/index.ts";
import { Field } from "../../ui/field.tsx";
import { type Layer, type LayerHours, makeLayer, WORK_HOURS } from "./schedule-draft.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const LAYERS_MAX = 5;
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

interface LayerListProps {
  readonly layers: readonly Layer[];
  readonly onChange: (layers: readonly Layer[]) => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

/** Layers from the lowest to the highest: where two have somebody, the later one counts. */
export function LayerList({ layers, onChange, errorOf }: LayerListProps) {
  return (
    <section className="steps" aria-label="Layers">
      <h3>Layers</h3>
      <ol>
        {layers.map((layer, n) => (
          <li key={n} className="step">
            <LayerFields
              layer={layer}
              onChange={(next) => onChange(layers.with(n, next))}
              onRemove={() => onChange(layers.toSpliced(n, 1))}
              errorOf={(pointer) => errorOf(`/layers/${n}${pointer}`)}
            />
          </li>
        ))}
      </ol>
      <Button
        type="button"
        disabled={layers.length >= LAYERS_MAX}
        onClick={() => onChange([...layers, makeLayer(layers)])}
      >
        <Plus /> Add a layer
      </Button>
      {layers.length > 1 && (
        <p className="field-help">Where two layers have somebody, the later one counts.</p>
      )}
    </section>
  );
}

interface LayerFieldsProps {
  readonly layer: Layer;
  readonly onChange: (layer: Layer) => void;
  readonly onRemove: () => void;
  readonly errorOf: (pointer: string) => string | undefined;
}

function LayerFields({ layer, onChange, onRemove, errorOf }: LayerFieldsProps) {
  const set = (next: Partial<Layer>): void => onChange({ ...layer, ...next });
  return (
    <>
      <div className="layer-head">
        <LineField
          label="Name"
          value={layer.name}
          onChange={(name) => set({ name })}
          error={errorOf("/name")}
        />
        <Button
          look="bare"
          isIcon
          isSmall
          type="button"
          aria-label={`Remove the layer ${layer.name}`}
          onClick={onRemove}
        >
          <X />
        </Button>
      </div>
      <PeopleField
        label="In turn"
        userIds={layer.userIds}
        onChange={(userIds) => set({ userIds })}
        isOrdered
        error={errorOf("/userIds") ?? errorOf("/userIds/0")}
      />
      <div className="editor-columns layer-turn">
        <LineField
          label="Each turn is"
          value={String(layer.turn.count)}
          onChange={(text) =>
            set({ turn: { ...layer.turn, count: Number(text.replaceAll(/\D/g, "")) } })
          }
          error={errorOf("/turn/count")}
        />
        <SelectField
          label="Unit"
          value={layer.turn.unit}
          options={[
            ["hour", "hours"],
            ["day", "days"],
            ["week", "weeks"],
          ]}
          onChange={(unit) => set({ turn: { ...layer.turn, unit } })}
        />
        <NativeField
          label="First turn on"
          type="date"
          value={layer.startsOn}
          onChange={(startsOn) => set({ startsOn })}
        />
        <NativeField
          label="Handover at"
          type="time"
          value={layer.handOver}
          onChange={(handOver) => set({ handOver })}
        />
      </div>
      <HourFields layer={layer} onChange={onChange} />
    </>
  );
}

interface NativeFieldProps {
  readonly label: string;
  readonly type: "date" | "time";
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function NativeField({ label, type, value, onChange }: NativeFieldProps) {
  return (
    <Field label={label}>
      {(attributes) => (
        <TextInput
          {...attributes}
          type={type}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

interface HourFieldsProps {
  readonly layer: Layer;
  readonly onChange: (layer: Layer) => void;
}

/** The hours of a layer; around the clock where there are none. */
function HourFields({ layer, onChange }: HourFieldsProps) {
  const { hours = [] } = layer;
  const setHours = (next: readonly LayerHours[]): void => {
    const { hours: _, ...rest } = layer;
    onChange(next.length === 0 ? rest : { ...rest, hours: [...next] });
  };
  return (
    <div className="layer-hours">
      <CheckField
        label="Only at certain hours"
        isOn={hours.length > 0}
        onChange={(isOn) => setHours(isOn ? [WORK_HOURS] : [])}
      />
      {hours.map((span, n) => (
        <div key={n} className="layer-span">
          <div className="layer-days" role="group" aria-label="Days">
            {DAYS.map((day, at) => {
              const isOn = span.days.includes(at + 1);
              const days = isOn
                ? span.days.filter((one) => one !== at + 1)
                : [...span.days, at + 1].toSorted((left, right) => left - right);
              return (
                <PlainButton
                  key={day}
                  type="button"
                  className="layer-day"
                  aria-pressed={isOn}
                  onClick={() => days.length > 0 && setHours(hours.with(n, { ...span, days }))}
                >
                  {day}
                </PlainButton>
              );
            })}
          </div>
          {(["from", "to"] as const).map((end) => (
            <TextInput
              key={end}
              type="time"
              aria-label={end === "from" ? "From" : "To"}
              value={span[end]}
              onChange={({ target }) => setHours(hours.with(n, { ...span, [end]: target.value }))}
            />
          ))}
          <Button
            look="bare"
            isIcon
            isSmall
            type="button"
            aria-label="Leave these hours out"
            onClick={() => setHours(hours.toSpliced(n, 1))}
          >
            <X />
          </Button>
        </div>
      ))}
      {hours.length > 0 && (
        <Button look="bare" type="button" onClick={() => setHours([...hours, WORK_HOURS])}>
          <Plus /> Add hours
        </Button>
      )}
    </div>
  );
}
