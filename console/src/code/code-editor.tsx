import "./code.css";
import { Suspense } from "react";
import { lazyOr } from "../ui/overlay/lazy-part.tsx";
import type { CodeEditorProps } from "./editor-props.ts";

const CodeMirror = lazyOr(async () => (await import("./code-mirror.tsx")).CodeMirror, PlainCode);

/** Code of any of our languages. Until it is downloaded the text stands in a box of the same form. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <div className={props.isBlock ? "code block" : "code"}>
      <Suspense
        fallback={
          <pre className="code-wait" aria-label={props.label} role="img">
            {props.value || " "}
          </pre>
        }
      >
        <CodeMirror {...props} />
      </Suspense>
    </div>
  );
}

/** Stands for an editor that a new version has renamed: nobody is kept from writing on. */
function PlainCode({ value, onChange, label, isReadOnly }: CodeEditorProps) {
  return (
    <textarea
      className="field mono"
      rows={4}
      aria-label={label}
      readOnly={isReadOnly === true || onChange === undefined}
      value={value}
      onChange={(event) => onChange?.(event.target.value)}
    />
  );
}
