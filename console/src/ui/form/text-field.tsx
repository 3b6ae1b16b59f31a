import { type Ref, useId } from "react";
import type { FieldProps } from "./binding.ts";
import { FieldFrame, framed } from "./field-frame.tsx";

interface TextFieldProps extends FieldProps<string> {
  readonly type?: "text" | "email" | "tel" | "url" | "password";
  readonly placeholder?: string | undefined;
  readonly isMono?: boolean;
  readonly autoComplete?: string;
  /** Has the focus when the screen opens. */
  readonly isFocused?: boolean;
  /** The on-screen keyboard for touch devices. */
  readonly inputMode?: "numeric" | "email" | undefined;
  /** Suggested texts; users can enter other texts too. */
  readonly suggestions?: readonly string[];
}

/** A single-line text. Surrounding spaces are removed on blur and submit, except in passwords. */
export function TextField(props: TextFieldProps) {
  const { value, onChange, limits, type = "text", isMono = false, autoComplete = "off" } = props;
  const { suggestions = [] } = props;
  const listId = useId();
  const trim = (): void => {
    if (type !== "password" && value && value !== value.trim()) onChange(value.trim());
  };
  return (
    <FieldFrame field={framed(props)}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            className={isMono ? "field mono" : "field"}
            type={type}
            list={suggestions.length > 0 ? listId : undefined}
            autoComplete={autoComplete}
            inputMode={props.inputMode}
            autoFocus={props.isFocused}
            spellCheck={!isMono && type === "text"}
            placeholder={props.placeholder}
            maxLength={limits.maxLength}
            value={value ?? ""}
            onBlur={trim}
            onKeyDown={({ key }) => key === "Enter" && trim()}
            onChange={({ target }) => onChange(target.value)}
          />
          {suggestions.length > 0 && (
            <datalist id={listId}>
              {suggestions.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
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

/** A multi-line text. */
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
