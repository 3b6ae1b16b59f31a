/** What other areas may use of knowledge. */
export { ArticleBody } from "./article/article-body.tsx";
