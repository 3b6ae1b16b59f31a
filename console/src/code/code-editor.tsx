import "./code.css";
import { Suspense } from "react";
import { lazyOr } from "../ui/overlay/lazy-part.tsx";
import type { CodeEditorProps } from "./editor-props.ts";

const CodeMirror = lazyOr(async () => (await import("./code-mirror.tsx")).CodeMirror, PlainCode);

/** A code editor for all supported languages. While it loads, the text is shown in a box of the same size. */
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

/** The fallback if a deployment removed the editor's file, so that users can continue to write. */
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
