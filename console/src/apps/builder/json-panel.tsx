import { useEffect, useState } from "react";
import { CodeEditor, findJsonFault } from "../../code/index.ts";
import { isFields } from "../../form/index.ts";
import type { Draft } from "../draft/draft.ts";
import type { AppDraft } from "./use-app.ts";

/** The app as JSON, synchronized in both directions: valid text updates the preview, and edits update the text. */
export function JsonPanel({ app, mayEdit }: { readonly app: AppDraft; readonly mayEdit: boolean }) {
  const { draft } = app;
  const [text, setText] = useState(() => toText(draft));
  const [error, setError] = useState<string>();
  useEffect(() => {
    // Keeps the user's formatting if the preview already shows the same app.
    setText((old) => (JSON.stringify(parse(old)) === JSON.stringify(draft) ? old : toText(draft)));
    setError(undefined);
  }, [draft]);
  const change = (next: string): void => {
    setText(next);
    const parsed = parse(next);
    const reason = findReason(next, parsed);
    setError(reason);
    if (reason === undefined && JSON.stringify(parsed) !== JSON.stringify(draft))
      app.change({ ...draft, ...(parsed as Draft) }, { field: "json" });
  };
  return (
    <div className="builder-json">
      <CodeEditor
        value={text}
        isBlock
        label="App definition as JSON"
        language="json"
        isReadOnly={!mayEdit}
        isInvalid={error !== undefined}
        description={error}
        onChange={change}
      />
      {error !== undefined && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

const toText = (draft: Draft): string => JSON.stringify(draft, null, 2);

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns why the app can't be displayed; other errors appear in the problem list. */
function findReason(text: string, value: unknown): string | undefined {
  if (value === undefined) return findJsonFault(text)?.message ?? "This is not valid JSON.";
  if (!isFields(value)) return "The app must be a JSON object.";
  const { name, pages, dataSources } = value;
  if (typeof name !== "string") return 'The app needs a name. Add "name".';
  if (!Array.isArray(pages) || pages.length === 0)
    return 'The app needs at least one page. Add "pages".';
  if (!Array.isArray(dataSources)) return 'Add "dataSources". It can be an empty list.';
  const isPage = (page: unknown): boolean =>
    isFields(page) && Array.isArray(page["components"]) && typeof page["path"] === "string";
  return pages.every(isPage) ? undefined : 'Each page needs "path" and "components".';
}
