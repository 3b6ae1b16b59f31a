import { useState } from "react";
import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

interface ListFieldProps extends FieldProps<readonly string[]> {
  /** One entry per line, with this many lines visible; without it, a single line separated by spaces. */
  readonly rows?: number;
  readonly placeholder?: string | undefined;
  /** The separator of entries in one line. Default: a space. */
  readonly joint?: string;
  /** Splits the text into entries, if entries contain spaces or commas. */
  readonly parse?: (text: string) => readonly string[];
}

/** A list of short texts such as addresses, edited in one text field. */
export function ListField(props: ListFieldProps) {
  const { value, onChange, rows, joint = " ", parse = splitList } = props;
  const list = value ?? [];
  const between = rows === undefined ? joint : "\n";
  const [typed, setTyped] = useState(list.join(between));
  // Keeps the typed text if it means the same list: a trailing comma is not an entry yet.
  const text = parse(typed).join("\n") === list.join("\n") ? typed : list.join(between);
  const change = (next: string): void => {
    setTyped(next);
    onChange([...parse(next)]);
  };
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => {
        const shared = {
          ...attributes,
          value: text,
          spellCheck: false,
          placeholder: props.placeholder,
        };
        return rows === undefined ? (
          <input
            {...shared}
            className="field mono"
            autoComplete="off"
            onChange={({ target }) => change(target.value)}
          />
        ) : (
          <textarea
            {...shared}
            className="field mono"
            rows={rows}
            onChange={({ target }) => change(target.value)}
          />
        );
      }}
    </FieldFrame>
  );
}

/** Splits at spaces, commas, semicolons and line breaks. */
export const splitList = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean);
