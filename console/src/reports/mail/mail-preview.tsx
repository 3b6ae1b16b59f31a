import { type ReportAnswer, type ReportShape, toFigure } from "@millrace/client/chart";
import { Paperclip } from "lucide-react";
import { FigureView } from "../../analytics/index.ts";
import { type Schemas, useOp } from "../../data/api.ts";
import { KpiFigure } from "../../dashboards/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";

type Part = Schemas["ReportMailPreview"]["parts"][number];

interface MailPreviewProps {
  readonly id: string;
  readonly message: string;
}

/** A preview of the e-mail, rendered with the same charts. */
export function MailPreview({ id, message }: MailPreviewProps) {
  const { data, error, refetch } = useOp("report_schedules.preview", { params: { id } });
  const mail = data?.data;
  return (
    <section className="mail-preview" aria-label="Preview of your e-mail">
      <h3>Preview of your e-mail</h3>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!mail && !error && <Loading rows={5} />}
      {mail && (
        <article className="mail-paper">
          <h4>{mail.subject}</h4>
          {message !== "" && <p className="mail-text">{message}</p>}
          {mail.isEmpty && <p className="muted">All numbers are currently zero.</p>}
          {mail.parts.map((part, n) => (
            <MailPart key={n} part={part} />
          ))}
          {mail.attachments.length > 0 && (
            <ul className="mail-files">
              {mail.attachments.map(({ name, rows }) => (
                <li key={name} className="chip">
                  <Paperclip /> {name} <span className="muted">{count(rows, "row")}</span>
                </li>
              ))}
            </ul>
          )}
        </article>
      )}
    </section>
  );
}

function MailPart({ part }: { readonly part: Part }) {
  return (
    <section className="mail-part">
      {part.title !== "" && <h5>{part.title}</h5>}
      <PartBody part={part} />
    </section>
  );
}

function PartBody({ part }: { readonly part: Part }) {
  const { title, kind, status, message, data, report } = part;
  if (status === "failed")
    return <p className="tile-error">{message ?? "The preview could not be loaded."}</p>;
  if (kind === "text") return <p className="mail-text">{(data as { text: string }).text}</p>;
  if (kind === "kpi") return <KpiFigure data={data} />;
  const figure = toFigure(data as ReportAnswer, (report ?? {}) as ReportShape);
  return (
    <div className={figure.kind === "number" ? "" : "report-figure small"}>
      <FigureView figure={figure} label={title} />
    </div>
  );
}
