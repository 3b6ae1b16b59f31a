import "./code.css";
import { lazy, Suspense } from "react";
import type { CodeEditorProps } from "./editor-props.ts";

const CodeMirror = lazy(() =>
  import("./code-mirror.tsx").then((module) => ({ default: module.CodeMirror })),
);

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
