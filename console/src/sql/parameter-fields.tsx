import { useId } from "react";
import { type Parameter, PARAMETER_TYPES, type ParameterType } from "./text/parameter.ts";
import { Select, TextInput } from "../ui/form/controls.tsx";

interface ParameterFieldsProps {
  readonly parameters: readonly Parameter[];
  readonly texts: readonly string[];
  readonly onText: (at: number, text: string) => void;
  readonly onChange: (at: number, parameter: Parameter) => void;
}

/** The parameters `$1`, `$2` …: name, type and value. */
export function ParameterFields({ parameters, texts, onText, onChange }: ParameterFieldsProps) {
  if (parameters.length === 0) return null;
  return (
    <div className="sql-parameters" role="group" aria-label="Parameters">
      {parameters.map((parameter, at) => (
        <ParameterField
          key={at}
          number={at + 1}
          parameter={parameter}
          text={texts[at] ?? ""}
          onText={(text) => onText(at, text)}
          onChange={(next) => onChange(at, next)}
        />
      ))}
    </div>
  );
}

interface ParameterFieldProps {
  readonly number: number;
  readonly parameter: Parameter;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onChange: (parameter: Parameter) => void;
}

function ParameterField({ number, parameter, text, onText, onChange }: ParameterFieldProps) {
  const id = useId();
  const { name, type } = parameter;
  const setType = (next: string): void => {
    const { type: _, ...rest } = parameter;
    onChange(next === "" ? rest : { ...rest, type: next as ParameterType });
  };
  return (
    <div className="sql-parameter">
      <span className="sql-dollar">${number}</span>
      <TextInput
        className="sql-parameter-name"
        aria-label={`Name of $${number}`}
        value={name}
        maxLength={63}
        onChange={({ target }) =>
          onChange({ ...parameter, name: target.value.replaceAll(/\W/g, "_") })
        }
      />
      <Select
        aria-label={`Type of $${number}`}
        value={type ?? ""}
        onChange={({ target }) => setType(target.value)}
      >
        <option value="">any type</option>
        {PARAMETER_TYPES.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      {type === "boolean" ? (
        <Select
          className="grow"
          id={id}
          aria-label={`Value of ${name}`}
          value={text}
          onChange={({ target }) => onText(target.value)}
        >
          <option value="">null</option>
          <option>true</option>
          <option>false</option>
        </Select>
      ) : (
        <TextInput
          className="grow"
          id={id}
          type={type === "date" ? "date" : "text"}
          inputMode={type === "integer" || type === "decimal" ? "decimal" : undefined}
          aria-label={`Value of ${name}`}
          placeholder={type === "timestamp" ? "2026-01-31T09:00:00Z" : "null"}
          value={text}
          onChange={({ target }) => onText(target.value)}
        />
      )}
    </div>
  );
}
