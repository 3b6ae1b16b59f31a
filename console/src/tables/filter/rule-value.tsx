import { useState } from "react";
import { useNames } from "../../data/names/names.ts";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { choicesOf, type GridColumn, isNumber, linkTargetOf, targetOf } from "../column/column.ts";
import { asText, readNumber } from "../column/value.ts";
import { useReferenceSearch } from "../cell/reference-options.ts";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";

interface RuleValueProps {
  readonly column: GridColumn;
  readonly isMany: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly hasSelf?: boolean;
}

/** The value input of a rule, depending on the column type. */
export function RuleValue({ column, isMany, value, onChange, hasSelf }: RuleValueProps) {
  const target = targetOf(column) ?? linkTargetOf(column);
  if (target !== undefined) {
    const isSelf = hasSelf === true && target === "users";
    return <ReferenceValue {...{ target, value, onChange, isSelf }} />;
  }
  if (isMany) return <ManyChoices {...{ column, value, onChange }} />;
  const text = asText(value);
  if (column.type === "boolean") {
    return (
      <Select
        aria-label="Value"
        value={text}
        onChange={(event) => onChange(event.target.value === "true")}
      >
        <option value="true">Yes</option>
        <option value="false">No</option>
      </Select>
    );
  }
  if (column.type === "multi_enum") {
    return (
      <Select aria-label="Value" value={text} onChange={(event) => onChange(event.target.value)}>
        {choicesOf(column).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
    );
  }
  if (isNumber(column)) return <NumberValue value={text} onChange={onChange} />;
  const isDate = column.type === "date" || column.type === "timestamp";
  return (
    <TextInput
      className="grow"
      aria-label="Value"
      type={isDate ? "date" : "text"}
      value={isDate ? text.slice(0, 10) : text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function NumberValue(props: {
  readonly value: string;
  readonly onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(props.value);
  return (
    <TextInput
      className="grow"
      aria-label="Value"
      inputMode="decimal"
      value={text}
      aria-invalid={(text !== "" && readNumber(text) === undefined) || undefined}
      onChange={({ target }) => {
        setText(target.value);
        props.onChange(readNumber(target.value) ?? null);
      }}
    />
  );
}

function ManyChoices({ column, value, onChange }: Omit<RuleValueProps, "isMany">) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <fieldset className="choice-set">
      <legend className="sr-only">Values</legend>
      {choicesOf(column).map((one) => (
        <label key={one} className={chosen.includes(one) ? "choice-pick on" : "choice-pick"}>
          <CheckBox
            className="sr-only"
            checked={chosen.includes(one)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, one] : chosen.filter((each) => each !== one))
            }
          />
          {one}
        </label>
      ))}
    </fieldset>
  );
}

const SELF = { value: "$user.id", label: "Current user" };

function ReferenceValue(props: {
  readonly target: string;
  readonly isSelf: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const { options, search } = useReferenceSearch(props.target);
  const nameOf = useNames();
  const value = typeof props.value === "string" ? props.value : undefined;
  return (
    <Combobox
      label="Value"
      options={props.isSelf ? [SELF, ...options] : options}
      search={search}
      value={value}
      chosen={nameOf(value)}
      onChange={(next) => props.onChange(next ?? null)}
    />
  );
}
