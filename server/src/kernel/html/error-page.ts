import Type from "typebox";
import { Failure } from "../operation/failure.ts";
import { document, type HtmlDocument, markup } from "./markup.ts";
import type { ErrorRendering } from "../operation/problem.ts";

/** A failure with a page of its own, such as a form to fill in once more. */
export class FailureWithPage extends Failure {
  readonly page: HtmlDocument;

  constructor({ type, particulars }: Failure, page: HtmlDocument) {
    super(type, particulars);
    this.page = page;
  }
}

/** Renders a failure as a page, in place of a problem document. */
export const htmlErrorRendering: ErrorRendering = {
  mediaType: "text/html",
  body: Type.String({ title: "ErrorPage", description: "A page that says what went wrong" }),
  render(failure, { requestId }) {
    const page = failure instanceof FailureWithPage ? failure.page : errorPage(failure, requestId);
    return {
      status: failure.type.status,
      headers: {
        ...failure.particulars.headers,
        ...page.headers,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": page.policy,
      },
      body: page.html,
    };
  },
};

function errorPage({ message }: Failure, requestId: string): HtmlDocument {
  return document({
    title: "This did not work",
    body: markup`<h1>This did not work</h1>
<p>${message}</p>
<p class="faint">Request ${requestId}</p>`,
  });
}
