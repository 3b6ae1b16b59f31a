import "./look.css";
import { Link } from "@tanstack/react-router";
import { call, etagOf, type Schemas, useOp } from "../../data/api.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { BASE_PATH } from "../../data/place.ts";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { CheckField, EditorForm, LineField } from "../frame/editor-form.tsx";
import { useEditor } from "../frame/use-editor.ts";
import { StatusComponents } from "./status-components.tsx";

/** The public page: whether there is one, what it is called, what stands on it, and what is told now. */
export function StatusPage() {
  const { data, error, refetch } = useOp("status_page.get");
  const refusal = useRefusal("status_page.update");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  return (
    <div className="settings-scroll scroll status-settings">
      <PageEditor page={data.data} refusal={refusal} />
      <StatusComponents refusal={refusal} />
      <Outages />
    </div>
  );
}

interface PageEditorProps {
  readonly page: Schemas["StatusPage"];
  readonly refusal: string | undefined;
}

function PageEditor({ page, refusal }: PageEditorProps) {
  const editor = useEditor({
    initial: { isOn: page.isOn, title: page.title, about: page.about },
    revision: 0,
    stale: "status_page.",
    refusal,
    save: async (body) => {
      const ifMatch = etagOf("status_page.get");
      await call("status_page.update", { body }, ifMatch === undefined ? {} : { ifMatch });
      return { id: "", name: "The status page" };
    },
  });
  const { draft, change, errorOf } = editor;
  const address = `${location.origin}${BASE_PATH}${page.path}`;
  return (
    <EditorForm title="The page" editor={editor} consequence="">
      <CheckField
        label="Everybody can read it"
        isOn={draft.isOn}
        onChange={(isOn) => change({ isOn })}
      />
      <LineField
        label="Title"
        value={draft.title}
        onChange={(title) => change({ title })}
        error={errorOf("/title")}
      />
      <LineField
        label="About it"
        value={draft.about}
        onChange={(about) => change({ about })}
        error={errorOf("/about")}
        isArea
        isOptional
      />
      {page.isOn && <CopyLine label="Address" text={address} />}
      {page.isOn && (
        <a href={address} target="_blank" rel="noreferrer">
          Open the page
        </a>
      )}
    </EditorForm>
  );
}

/** Outages are major incidents; each is told and ended in its room. */
function Outages() {
  const may = useMay();
  const { data } = useOp(
    "outages.list",
    { query: { limit: 20 } },
    { enabled: may("outages.list") },
  );
  return (
    <section className="status-part" aria-label="Current outages">
      <h2>Current outages</h2>
      {data?.data.length === 0 && (
        <p className="muted">
          No outage. One begins when an incident is declared a major one on the desk.
        </p>
      )}
      <ul>
        {data?.data.map(({ id, title, message, since, state, affected }) => (
          <li key={id} className="outage-line">
            <span className={`tag ${state === "ongoing" ? "bad" : "ok"}`}>
              {state === "ongoing" ? "Goes on" : "Over"}
            </span>
            <span className="grow">
              <Link to="/major/$id" params={{ id }}>
                {title}
              </Link>
              <span className="muted"> {message ?? "Nothing was broadcast yet."}</span>
            </span>
            <span className="muted">
              {count(affected, "person", "people")} · <Ago at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
