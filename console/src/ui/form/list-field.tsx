import { useState } from "react";
import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

interface ListFieldProps extends FieldProps<readonly string[]> {
  /** One in each line, with this many shown; without, in one line with spaces between them. */
  readonly rows?: number;
  readonly placeholder?: string | undefined;
  /** The separator of entries in one line. Default: a space. */
  readonly joint?: string;
  /** Splits the text into entries, if entries contain spaces or commas. */
  readonly parse?: (text: string) => readonly string[];
}

/** Several short texts, such as addresses, written one after the other. */
export function ListField(props: ListFieldProps) {
  const { value, onChange, rows, joint = " ", parse = splitList } = props;
  const list = value ?? [];
  const between = rows === undefined ? joint : "\n";
  const [typed, setTyped] = useState(list.join(between));
  // What somebody is about to type, such as a comma at the end, is no entry yet.
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

/** Entries between spaces, commas and lines. */
export const splitList = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean);
