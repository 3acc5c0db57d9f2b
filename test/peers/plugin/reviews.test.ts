/** Reviews as agents of the relay plugin ask for and give them. */
import { expect } from "vitest";
import { differs, play, type Scene } from "../stage.ts";

/** An artifact of `web`, and its review by another: the review's id. */
const asked = async ({ artifact, ok }: Scene, reviewer = "tests"): Promise<string> =>
  (await ok("web", "request_review", { artifact_id: await artifact(), reviewer })).review_id;

play({
  "a review is asked for": async ({ artifact, ok }) => {
    const artifact_id = await artifact();
    expect(await ok("web", "request_review", { artifact_id, reviewer: "tests" })).toMatchObject({
      review_id: expect.stringMatching(/^review-/),
      artifact_id,
      version: 1,
    });
  },
  "its reviewer approves it, with words": async (scene) => {
    const review_id = await asked(scene);
    const { review } = await scene.ok("tests", "submit_review", { review_id, status: "approved", comments: "The coast is right." });
    expect(review).toMatchObject({ id: review_id, status: "approved", reviewer: "tests", comments: "The coast is right." });
  },
  "its reviewer asks for changes, with words": async (scene) => {
    const review_id = await asked(scene);
    const { review } = await scene.ok("tests", "submit_review", { review_id, status: "changes_requested", comments: "No scale." });
    expect(review).toMatchObject({ id: review_id, status: "changes_requested", comments: "No scale." });
  },
  "an approval needs no words": async (scene) => {
    const review_id = await asked(scene);
    expect((await scene.ok("tests", "submit_review", { review_id, status: "approved" })).review).toMatchObject({ status: "approved" });
  },
  "an approval may have empty words": async (scene) =>
    scene.ok("tests", "submit_review", { review_id: await asked(scene), status: "approved", comments: "" }),
  "changes without words are refused, and nothing is decided": async (scene) => {
    const review_id = await asked(scene);
    await scene.no("tests", "submit_review", { review_id, status: "changes_requested" }, "invalid_argument", "comments");
    expect((await scene.ok("web", "list_reviews")).reviews).toMatchObject([{ status: "pending" }]);
  },
  "a third result there is none of": async (scene) =>
    scene.no(
      "tests",
      "submit_review",
      { review_id: await asked(scene), status: "rejected" },
      "invalid_argument",
      "approved, changes_requested",
    ),
  "a review that is not there is refused": ({ no }) =>
    no("tests", "submit_review", { review_id: "review-none", status: "approved" }, "unknown_review", "review not found"),
  "who was not asked may not submit": async (scene) => {
    const review_id = await asked(scene);
    await scene.no(
      "api",
      "submit_review",
      { review_id, status: "approved" },
      "not_the_reviewer",
      "permission denied: not the assigned reviewer",
    );
  },
  "who asked may not submit either": async (scene) =>
    scene.no("web", "submit_review", { review_id: await asked(scene), status: "approved" }, "not_the_reviewer"),
  "a review has one result: a second is refused, and names the first": async (scene) => {
    const review_id = await asked(scene);
    await scene.ok("tests", "submit_review", { review_id, status: "approved" });
    await scene.no(
      "tests",
      "submit_review",
      { review_id, status: "changes_requested", comments: "No." },
      "review_submitted",
      "Review already submitted — status is approved",
    );
  },
  "of two results at once one counts": async (scene) => {
    const review_id = await asked(scene);
    const results = await Promise.all(
      ["approved", "changes_requested"].map((status) => scene.says("tests", "submit_review", { review_id, status, comments: "c" })),
    );
    expect(results.filter(({ success }) => success)).toHaveLength(1);
  },
  "several reviewers of one artifact have a review each": async ({ artifact, ok }) => {
    const artifact_id = await artifact();
    const ids = [];
    for (const reviewer of ["tests", "api"]) ids.push((await ok("web", "request_review", { artifact_id, reviewer })).review_id);
    expect(new Set(ids).size).toBe(2);
  },
  "an artifact that is not there cannot be reviewed": ({ no }) =>
    no("web", "request_review", { artifact_id: "artifact-none-1", reviewer: "tests" }, "unknown_artifact", "artifact not found"),
  "an artifact of another session cannot be reviewed": async ({ artifact, no, other }) => {
    const artifact_id = await artifact();
    await no("web", "request_review", { artifact_id, reviewer: "tests", session_id: await other("b") }, "unknown_artifact");
  },
  "a review of another session cannot be submitted": async (scene) => {
    const review_id = await asked(scene);
    const session_id = await scene.other("b");
    await scene.no("tests", "submit_review", { review_id, status: "approved", session_id }, "unknown_review", "review not found");
  },
  "a reviewer who is started by the request finds it": async ({ artifact, ok, mail }) => {
    const { review_id } = await ok("web", "request_review", { artifact_id: await artifact(), reviewer: "web-second" });
    expect(await mail("web-second")).toEqual([expect.stringContaining("map")]);
    await ok("web-second", "submit_review", { review_id, status: "approved" });
  },
  "a reviewer asks for its own review before it said anything": async ({ artifact, ok }) => {
    const { review_id } = await ok("web-third", "request_review", { artifact_id: await artifact(), reviewer: "web-third" });
    await ok("web-third", "submit_review", { review_id, status: "approved" });
  },
  "who made it does not review it": differs("a review by the author of the artifact", async ({ artifact, no }) => {
    await no("web", "request_review", { artifact_id: await artifact(), reviewer: "web" }, "self_review");
  }),
  "a reviewer that can be nobody's id is refused": async ({ artifact, no }) =>
    no("web", "request_review", { artifact_id: await artifact(), reviewer: "../up" }, "bad_part"),
  "who asked is told of the result": async (scene) => {
    const review_id = await asked(scene);
    await scene.ok("tests", "submit_review", { review_id, status: "changes_requested", comments: "No scale." });
    expect(await scene.mail("web")).toEqual([expect.stringContaining("No scale.")]);
  },
  "a review is of the version that there was": async (scene) => {
    const review_id = await asked(scene);
    await scene.artifact({ content: "with a scale" });
    const { review } = await scene.ok("tests", "submit_review", { review_id, status: "approved" });
    expect(review).toMatchObject({ version: 1 });
  },
  "open reviews are listed, for one reviewer too": async (scene) => {
    const first = await asked(scene);
    const second = (await scene.ok("web", "request_review", { artifact_id: await scene.artifact(), reviewer: "api" })).review_id;
    await scene.ok("tests", "submit_review", { review_id: first, status: "approved" });
    expect((await scene.ok("web", "list_reviews", { open: true })).reviews).toMatchObject([{ id: second }]);
    expect((await scene.ok("web", "list_reviews", { reviewer: "tests" })).reviews).toMatchObject([{ id: first, status: "approved" }]);
  },
  "comments come as they were written": async (scene) => {
    const comments = "1. `scale`\n\n---\n## 다음\n";
    const { review } = await scene.ok("tests", "submit_review", { review_id: await asked(scene), status: "approved", comments });
    expect(review.comments).toBe(comments);
  },
  "comments of 16385 characters are refused, with the limit": async (scene) =>
    scene.no(
      "tests",
      "submit_review",
      { review_id: await asked(scene), status: "approved", comments: "x".repeat(16_385) },
      "invalid_argument",
      "16384",
    ),
  "a review and its result are there after a restart": async (scene) => {
    const review_id = await asked(scene);
    await scene.restart();
    await scene.ok("tests", "submit_review", { review_id, status: "approved", comments: "fine" });
    await scene.restart();
    expect((await scene.ok("web", "list_reviews")).reviews).toMatchObject([{ id: review_id, status: "approved", comments: "fine" }]);
  },
  "a session has no end of reviews": differs("the size of a session", async ({ artifact, ok }) => {
    const artifact_id = await artifact();
    await Promise.all(Array.from({ length: 30 }, () => ok("web", "request_review", { artifact_id, reviewer: "tests" })));
    expect((await ok("web", "list_reviews", { open: true })).reviews).toHaveLength(30);
  }),
});
