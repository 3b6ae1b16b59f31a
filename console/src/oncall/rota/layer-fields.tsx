import "../../ui/display/steps.css";
import { Plus, X } from "lucide-react";
import { PeopleField } from "../../desk-settings/index.ts";
import { type FieldBinding, freeField, partOf } from "../../ui/form/binding.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { DateField, TimeField } from "../../ui/form/date-time-field.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import { type Layer, type LayerHours, makeLayer, WORK_HOURS } from "./schedule-draft.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const LAYERS_MAX = 5;
const COUNT = { required: true, type: "integer", minimum: 1 } as const;
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

interface LayerListProps {
  readonly field: FieldBinding<readonly Layer[]>;
}

/** Layers from lowest to highest: if several have a shift, the highest applies. */
export function LayerList({ field }: LayerListProps) {
  const { value, onChange, errorFor } = field;
  const layers = value ?? [];
  const error = errorFor("Layers");
  return (
    <section className="steps" aria-label="Layers">
      <h3>Layers</h3>
      <ol>
        {layers.map((layer, n) => (
          <li key={n} className="step">
            <LayerFields
              layer={layer}
              field={partOf(field, n)}
              onRemove={() => onChange(layers.toSpliced(n, 1))}
            />
          </li>
        ))}
      </ol>
      {error !== undefined && <p className="field-error">{error}</p>}
      <Button
        type="button"
        disabled={field.isDisabled || layers.length >= LAYERS_MAX}
        onClick={() => onChange([...layers, makeLayer(layers)])}
      >
        <Plus /> Add layer
      </Button>
      {layers.length > 1 && (
        <p className="field-help">
          If shifts of two layers overlap, the later layer in the list applies.
        </p>
      )}
    </section>
  );
}

interface LayerFieldsProps {
  readonly layer: Layer;
  readonly field: FieldBinding<Layer>;
  readonly onRemove: () => void;
}

function LayerFields({ layer, field, onRemove }: LayerFieldsProps) {
  const people = partOf(field, "userIds");
  const turn = partOf(field, "turn");
  return (
    <>
      <div className="layer-head">
        <TextField {...partOf(field, "name")} label="Name" />
        <Button
          look="bare"
          isIcon
          isSmall
          type="button"
          aria-label={`Remove layer ${layer.name}`}
          onClick={onRemove}
        >
          <X />
        </Button>
      </div>
      <PeopleField
        label="People in rotation"
        userIds={layer.userIds}
        onChange={people.onChange}
        isOrdered
        error={people.errorFor("People in rotation")}
      />
      <Grid min="s">
        <NumberField {...partOf(turn, "count", COUNT)} label="Shift length" />
        <SelectField
          {...partOf(turn, "unit")}
          label="Unit"
          options={[
            ["hour", "hours"],
            ["day", "days"],
            ["week", "weeks"],
          ]}
        />
        <DateField {...partOf(field, "startsOn")} label="First shift" />
        <TimeField {...partOf(field, "handOver")} label="Handover at" />
      </Grid>
      <HourFields layer={layer} onChange={field.onChange} />
    </>
  );
}

interface HourFieldsProps {
  readonly layer: Layer;
  readonly onChange: (layer: Layer) => void;
}

/** The active hours of a layer; without them, it is always active. */
function HourFields({ layer, onChange }: HourFieldsProps) {
  const { hours = [] } = layer;
  const setHours = (next: readonly LayerHours[]): void => {
    const { hours: _, ...rest } = layer;
    onChange(next.length === 0 ? rest : { ...rest, hours: [...next] });
  };
  return (
    <div className="layer-hours">
      <CheckField
        {...freeField("hours", hours.length > 0, (isOn) => setHours(isOn ? [WORK_HOURS] : []))}
        label="Only at these hours"
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
            aria-label="Remove these hours"
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
