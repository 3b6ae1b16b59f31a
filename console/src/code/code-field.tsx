import { useMemo } from "react";
import type { FieldProps } from "../ui/form/binding.ts";
import { FieldFrame, framed, labelOf } from "../ui/form/field-frame.tsx";
import { CodeEditor } from "./code-editor.tsx";
import { findJsonFault } from "./json-fault.ts";
import type { CodeLanguage } from "./language.ts";

interface CodeFieldProps extends FieldProps<string> {
  readonly language: CodeLanguage;
}

/** Code or JSON as text; JSON syntax errors are marked. */
export function CodeField(props: CodeFieldProps) {
  const { value, onChange, language } = props;
  const text = value ?? "";
  const marks = useMemo(() => {
    const fault = language === "json" && text.trim() !== "" ? findJsonFault(text) : undefined;
    return fault ? [fault] : [];
  }, [language, text]);
  const error = props.errorFor(labelOf(props));
  return (
    <FieldFrame field={framed(props)}>
      {(attributes, label) => (
        <CodeEditor
          label={label}
          language={language}
          isBlock
          value={text}
          marks={marks}
          isReadOnly={attributes.disabled}
          isInvalid={error !== undefined || marks.length > 0}
          description={error}
          onChange={onChange}
        />
      )}
    </FieldFrame>
  );
}
