import type { Ref } from "react";
import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

interface TextFieldProps extends FieldProps<string> {
  readonly type?: "text" | "email" | "url" | "password";
  readonly placeholder?: string | undefined;
  readonly isMono?: boolean;
  readonly autoComplete?: string;
}

/** A text of one line. */
export function TextField(props: TextFieldProps) {
  const { value, onChange, limits, type = "text", isMono = false, autoComplete = "off" } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <input
          {...attributes}
          className={isMono ? "field mono" : "field"}
          type={type}
          autoComplete={autoComplete}
          spellCheck={!isMono && type === "text"}
          placeholder={props.placeholder}
          maxLength={limits.maxLength}
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </FieldFrame>
  );
}

interface TextAreaFieldProps extends FieldProps<string> {
  readonly rows?: number;
  readonly placeholder?: string | undefined;
  readonly isMono?: boolean;
  readonly areaRef?: Ref<HTMLTextAreaElement>;
}

/** A text of several lines. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { value, onChange, limits, rows = 4, isMono = false } = props;
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <textarea
          {...attributes}
          ref={props.areaRef}
          className={isMono ? "field mono" : "field"}
          rows={rows}
          spellCheck={!isMono}
          placeholder={props.placeholder}
          maxLength={limits.maxLength}
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </FieldFrame>
  );
}
