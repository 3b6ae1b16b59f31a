import { useState } from "react";
import { LineField } from "../../desk-settings/index.ts";

interface WarningsFieldProps {
  readonly value: readonly number[];
  readonly onChange: (warnings: readonly number[]) => void;
  readonly error: string | undefined;
}

/** Several warnings of one target; what is written stays as it is written. */
export function WarningsField({ value, onChange, error }: WarningsFieldProps) {
  const [text, setText] = useState(value.join(", "));
  return (
    <LineField
      label="Warn at percent"
      value={text}
      onChange={(next) => {
        setText(next);
        onChange(readWarnings(next));
      }}
      error={error}
      help="Several, such as 50, 75, 90; none: as the policy does."
      placeholder="50, 75, 90"
      isOptional
    />
  );
}

function readWarnings(text: string): readonly number[] {
  const numbers = text.split(/[^\d.]+/).filter((part) => part !== "");
  return [...new Set(numbers.map(Number))].filter(Number.isFinite);
}
