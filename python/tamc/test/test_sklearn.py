#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model as an estimator of scikit-learn; skipped without it."""

import unittest
import warnings

import numpy as np

from test_model import Folder, tamc

try:
    import pandas
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn or pandas is not installed") from None

from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import (GridSearchCV, KFold, cross_val_predict,
                                     cross_val_score)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

#: Checks that fail, with the reason of each.
EXCEPTIONS = {
    "check_all_zero_sample_weights_error":
        "the message is the executable's: expected a row weight above 0",
    "check_sample_weight_equivalence_on_dense_data":
        "penalties count per row: row weights are divided by their mean",
    "check_estimators_nan_inf":
        "the message is the executable's: expected a finite value, got a "
        "missing value",
}


class Estimator(Folder):
    def setUp(self):
        super().setUp()
        x = np.linspace(0, 6, 200)
        self.x = pandas.DataFrame({"x": x, "day": np.arange(200) % 7})
        self.y = np.sin(x) + 0.1 * (self.x["day"] == 3)

    def test_check_estimator(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(
                tamc.AdditiveModel("y ~ l(x0)"), on_fail=None, on_skip=None,
                expected_failed_checks=EXCEPTIONS)
        failed = {result["check_name"]: str(result["exception"])
                  for result in results if result["status"] == "failed"}
        self.assertEqual(failed, {})
        passes = [result["check_name"] for result in results
                  if result["status"] == "xpass"]
        self.assertEqual(passes, [], "an exception that is not needed")
        self.assertGreater(len(results), 50)

    def test_clone(self):
        model = tamc.AdditiveModel("y ~ s(x)", ap={"x": -2})
        other = clone(model)
        self.assertEqual(other.get_params(), model.get_params())
        self.assertFalse(hasattr(other, "n_features_in_"))

    def test_grid_search(self):
        search = GridSearchCV(
            tamc.AdditiveModel("y ~ s(x)"),
            {"formula": ["y ~ s(x, k=4) + c(day, n_cat=7)",
                         "y ~ l(x)"]},
            cv=KFold(3, shuffle=True, random_state=0)).fit(self.x, self.y)
        self.assertIn("s(x", search.best_params_["formula"])
        search = GridSearchCV(tamc.AdditiveModel("y ~ s(x)"),
                              {"ap": [{"x": -4}, {"x": 6}]}, cv=3,
                              n_jobs=2).fit(self.x, self.y)
        self.assertEqual(search.best_params_["ap"], {"x": -4})

    def test_grid_search_over_two_parameters(self):
        grid = {"formula": [f"y ~ s(x, k={k}) + c(day)" for k in (3, 12)],
                "ap": [{"x": -6}, {"x": 4}]}
        search = GridSearchCV(tamc.AdditiveModel("y ~ 1"), grid,
                              cv=KFold(4, shuffle=True, random_state=0),
                              scoring="neg_mean_squared_error").fit(
                                  self.x, self.y)
        self.assertEqual(len(search.cv_results_["params"]), 4)
        self.assertEqual(search.best_params_,
                         {"formula": grid["formula"][1], "ap": {"x": -6}})
        self.assertLess(-search.best_score_, 0.01)

    def test_two_processes(self):
        def fit(ap):
            model = tamc.AdditiveModel("y ~ s(x) + c(day)", ap={"x": ap})
            return model.fit(self.x, self.y).predict(self.x).tolist()

        aps = [-4.0, -2.0, 0.0, 2.0]
        # Fitted models come back as pickles.
        models = Parallel(n_jobs=2)(
            delayed(tamc.AdditiveModel("y ~ s(x) + c(day)", ap={"x": ap}).fit)(
                self.x, self.y) for ap in aps)
        self.assertEqual([model.predict(self.x).tolist() for model in models],
                         [fit(ap) for ap in aps])

    def test_tune_leaves_the_parameters(self):
        model = tamc.AdditiveModel("y ~ s(x, k=12)")
        before = model.get_params()
        model.tune(self.x, self.y)
        self.assertEqual(model.get_params(), before)
        other = clone(model).set_params(ap=model.ap_)
        self.assertEqual(other.fit(self.x, self.y).predict(self.x).tolist(),
                         model.predict(self.x).tolist())

    def test_pipeline_and_cross_validation(self):
        pipeline = make_pipeline(
            FunctionTransformer(lambda frame: frame.assign(x=frame["x"] / 2)),
            tamc.AdditiveModel("y ~ s(x) + c(day)"))
        self.assertGreater(pipeline.fit(self.x, self.y).score(self.x, self.y),
                           0.95)
        predicted = cross_val_predict(pipeline, self.x, self.y, cv=5)
        self.assertEqual(predicted.shape, (200,))
        self.assertTrue(np.isfinite(
            cross_val_score(pipeline, self.x, self.y, cv=5)).all())

    def test_sample_weight(self):
        weights = np.where(np.arange(200) % 2, 3.0, 1.0)
        model = tamc.AdditiveModel("y ~ s(x)")
        given = model.fit(self.x, self.y, sample_weight=weights).predict(self.x)
        column = tamc.AdditiveModel("y ~ s(x)", weights="w").fit(
            self.x.assign(w=weights, y=self.y)).predict(self.x)
        self.assertEqual(given.tolist(), column.tolist())
        self.assertNotEqual(given.tolist(),
                            model.fit(self.x, self.y).predict(self.x).tolist())


if __name__ == "__main__":
    unittest.main()
