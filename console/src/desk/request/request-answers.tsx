import "./request-answers.css";
import { type Reply, useOp } from "../../data/api.ts";
import { FilePiece } from "../stream/file-piece.tsx";
import { ApprovalSteps } from "./approval-steps.tsx";

type Answers = Reply<"requests.get_answers">["data"];

/** The form answers of a request and its requester, for approvers and fulfillers. */
export function useRequestAnswers(number: string | undefined): Answers | undefined {
  const { data } = useOp(
    "requests.get_answers",
    { params: { id: number ?? "" } },
    { enabled: number !== undefined },
  );
  return number === undefined ? undefined : data?.data;
}

/** The answers with the titles of the form, and the approval steps. */
export function AnswerList({ asked }: { readonly asked: Answers }) {
  return (
    <>
      <Answers asked={asked} />
      <ApprovalSteps steps={asked.approvalSteps} expiresAt={asked.approvalExpiresAt} />
    </>
  );
}

function Answers({ asked }: { readonly asked: Answers }) {
  const { answers, price } = asked;
  if (answers.length === 0 && price === null) return null;
  return (
    <dl className="request-answers" aria-label="Request details">
      {answers.map(({ name, title, text, files }) => (
        <div key={name}>
          <dt>{title}</dt>
          <dd>
            {text}
            {files.map(({ fileId, name: fileName, bytes }) => (
              <FilePiece
                key={fileId}
                file={{ id: fileId, fileId, name: fileName, bytes, type: undefined }}
              />
            ))}
          </dd>
        </div>
      ))}
      {price !== null && (
        <div>
          <dt>Price</dt>
          <dd>{price}</dd>
        </div>
      )}
    </dl>
  );
}
