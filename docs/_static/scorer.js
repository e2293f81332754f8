// Search lists pages that explain before pages of single functions, which have a name in their title.
var Scorer = {
  score: (result) => {
    const [page, , , , score] = result;
    return page.startsWith("reference/api/") ? score - 30 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
