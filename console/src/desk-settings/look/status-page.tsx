import "./look.css";
import { Link } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { useMay, useRefusal } from "../../data/people.ts";
import { BASE_PATH } from "../../data/place.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { CheckField } from "../../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import { StatusComponents } from "./status-components.tsx";

/** The public status page: whether it is published, its title, its components and current outages. */
export function StatusPage() {
  const { data, error, refetch } = useOp("status_page.get");
  const refusal = useRefusal("status_page.update");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  return (
    <div className="settings-scroll scroll status-settings">
      <PageEditor page={data.data} />
      <StatusComponents refusal={refusal} />
      <Outages />
    </div>
  );
}

const toInitial = ({ isOn, title, about }: Schemas["StatusPage"]) => ({ isOn, title, about });

function PageEditor({ page }: { readonly page: Schemas["StatusPage"] }) {
  const form = useForm("status_page.update", {
    initial: toInitial(page),
    version: versionOf("status_page.get", {}, ({ data }) => toInitial(data)),
    said: "Status page saved",
  });
  const address = `${location.origin}${BASE_PATH}${page.path}`;
  return (
    <FormPanel form={form} label="Status page" hasTitle>
      <CheckField {...form.field("isOn")} label="Public: everyone can read this page" />
      <TextField {...form.field("title")} />
      <TextAreaField {...form.field("about")} label="Description" />
      {page.isOn && <CopyLine label="Address" text={address} />}
      {page.isOn && (
        <a href={address} target="_blank" rel="noreferrer">
          Open status page
        </a>
      )}
    </FormPanel>
  );
}

/** Outages are major incidents; each is communicated and ended on its own page. */
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
        <p className="muted">No current outages. Each major incident appears here.</p>
      )}
      <ul>
        {data?.data.map(({ id, title, message, since, state, affected }) => (
          <li key={id} className="outage-line">
            <span className={`tag ${state === "ongoing" ? "bad" : "ok"}`}>
              {state === "ongoing" ? "Ongoing" : "Resolved"}
            </span>
            <span className="grow">
              <Link to="/major/$id" params={{ id }}>
                {title}
              </Link>
              <span className="muted"> {message ?? "No updates yet."}</span>
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
