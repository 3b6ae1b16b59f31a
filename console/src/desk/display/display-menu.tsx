import { SlidersHorizontal } from "lucide-react";
import { Popover } from "../../ui/overlay/popover.tsx";
import { useOwnFields } from "../queue/own-field-options.ts";
import { type Density, DENSITIES, type Display, type Part, PARTS, togglePart } from "./display.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { CheckBox } from "../../ui/form/controls.tsx";

const PART_WORDS: Readonly<Record<Part, string>> = {
  number: "Number",
  state: "State",
  caller: "Caller",
  word: "Last reply",
  people: "People",
  tags: "Tags",
};
const DENSITY_WORDS: Readonly<Record<Density, string>> = { roomy: "Comfortable", close: "Compact" };

interface DisplayMenuProps {
  readonly display: Display;
  readonly onChange: (display: Display) => void;
}

/** The density of the rows and the displayed details. */
export function DisplayMenu({ display, onChange }: DisplayMenuProps) {
  return (
    <Popover label="Display options" className="btn bare icon" button={<SlidersHorizontal />}>
      {() => <Choices {...{ display, onChange }} />}
    </Popover>
  );
}

function Choices({ display, onChange }: DisplayMenuProps) {
  const own = useOwnFields(true);
  return (
    <div className="display-form">
      <div className="tabs" role="group" aria-label="Row density">
        {DENSITIES.map((density) => (
          <PlainButton
            key={density}
            type="button"
            aria-pressed={display.density === density}
            onClick={() => onChange({ ...display, density })}
          >
            {DENSITY_WORDS[density]}
          </PlainButton>
        ))}
      </div>
      {PARTS.map((part) => (
        <label key={part} className="row">
          <CheckBox
            checked={display.parts.includes(part)}
            onChange={() => onChange({ ...display, parts: togglePart(display.parts, part) })}
          />
          {PART_WORDS[part]}
        </label>
      ))}
      {own.map(({ key, name }) => (
        <label key={key} className="row">
          <CheckBox
            checked={display.fields.includes(key)}
            onChange={() => onChange({ ...display, fields: togglePart(display.fields, key) })}
          />
          {name}
        </label>
      ))}
    </div>
  );
}
