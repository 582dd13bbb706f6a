"""Reading the topic of commits, without a broker."""

from __future__ import annotations

import pytest

from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.offsets_topic import check_not_empty
from equilag.domain.errors import InputError


def test_a_topic_with_records_of_which_none_were_read() -> None:
    config = kafka_config("a:1")
    check_not_empty(config, 0, 0)
    check_not_empty(config, 9, 1)
    with pytest.raises(InputError) as caught:
        check_not_empty(config, 9, 0)
    expected = "a:1: __consumer_offsets: 0 records were read, though its partitions hold 9 offsets"
    assert str(caught.value) == expected
